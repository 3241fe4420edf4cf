/** Something that keeps the tool from its work, in words for the terminal. */
export type Problem = { what: string; why: string; fix: string }

/** All that is wrong, at once. Nothing was written. */
export class ToolError extends Error {
  readonly problems: readonly Problem[]

  constructor(...problems: Problem[]) {
    super(problems.map(({ what, why, fix }) => `${what}\n  Why: ${why}\n  Do:  ${fix}`).join('\n\n'))
    this.name = 'ToolError'
    this.problems = problems
  }
}
