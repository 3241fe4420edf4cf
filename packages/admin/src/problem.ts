/** A command failed. `message` is ready to print. `exitCode` is 2 for a wrong command line. */
export class CommandError extends Error {
  readonly exitCode: number
  readonly code: string

  constructor(
    { what, why, fix }: { what: string; why: string; fix: string },
    exitCode = 1,
    code = exitCode === 2 ? 'USAGE' : 'FAILED',
  ) {
    super(`${what}\n  Why: ${why}\n  Do:  ${fix}`)
    this.name = 'CommandError'
    this.exitCode = exitCode
    this.code = code
  }
}

export const usageError = (what: string, why: string, fix = 'See `npm run admin -- help`.'): CommandError =>
  new CommandError({ what, why, fix }, 2)
