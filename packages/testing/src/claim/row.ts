import type { Answer } from '../browser.ts'

export type Attack = {
  name: string
  /** What the thief tries, in a few words. */
  tried: string
  run(row: Row): Promise<void>
}

export type Result = {
  attack: string
  tried: string
  tries: number
  /** How many tries each answer refused. */
  refusedBy: Record<string, number>
  holes: string[]
  seconds: number
}

/** Collects what refused each try of an attack. */
export type Row = {
  /** The answer must have one of these codes. */
  refused(what: string, answer: Pick<Answer, 'status' | 'code'>, ...codes: string[]): void
  /** A try that more than one answer decides. */
  held(what: string, isHeld: boolean, by: string): void
  /** What must work for the attack to mean anything, or for the owner. Not a try. */
  works(what: string, does: boolean): void
}

export async function runAttack({ name, tried, run }: Attack): Promise<Result> {
  const result: Result = { attack: name, tried, tries: 0, refusedBy: {}, holes: [], seconds: 0 }
  const count = (by: string) => {
    result.refusedBy[by] = (result.refusedBy[by] ?? 0) + 1
  }
  const row: Row = {
    refused(what, { status, code }, ...codes) {
      result.tries += 1
      if (status >= 400 && code !== undefined && codes.includes(code)) count(`${status} ${code}`)
      else result.holes.push(`${what}: ${status} ${code ?? ''}`.trim())
    },
    held(what, isHeld, by) {
      result.tries += 1
      if (isHeld) count(by)
      else result.holes.push(what)
    },
    works(what, does) {
      if (!does) result.holes.push(`does not work: ${what}`)
    },
  }
  const started = performance.now()
  try {
    await run(row)
    if (result.tries === 0) result.holes.push('nothing was tried')
  } catch (error) {
    result.holes.push(`the attack could not run: ${error instanceof Error ? error.message : error}`)
  }
  result.seconds = Math.round((performance.now() - started) / 100) / 10
  return result
}
