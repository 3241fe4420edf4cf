/** Something that keeps a command from its work, in words for the terminal. `exitCode` is 2 when the command line is wrong. */
export class CommandError extends Error {
  readonly exitCode: number

  constructor({ what, why, fix }: { what: string; why: string; fix: string }, exitCode = 1) {
    super(`${what}\n  Why: ${why}\n  Do:  ${fix}`)
    this.name = 'CommandError'
    this.exitCode = exitCode
  }
}

/** The command line is wrong. */
export const usageError = (what: string, why: string, fix = 'See `npm run admin -- help`.'): CommandError =>
  new CommandError({ what, why, fix }, 2)
