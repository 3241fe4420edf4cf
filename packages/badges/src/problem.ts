export type Problem = { what: string; why: string; fix: string }

/** Lists every problem. Nothing was written. */
export class ToolError extends Error {
  readonly problems: readonly Problem[]

  constructor(...problems: Problem[]) {
    super(problems.map(({ what, why, fix }) => `${what}\n  Why: ${why}\n  Do:  ${fix}`).join('\n\n'))
    this.name = 'ToolError'
    this.problems = problems
  }
}
