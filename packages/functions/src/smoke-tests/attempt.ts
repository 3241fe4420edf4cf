/** How one check of a suite ended. */
export type Outcome = {
  /** What was checked, for suites that check several things. */
  group: string | null
  title: string
  status: 'passed' | 'failed' | 'skipped'
  startTime: number
  /** In milliseconds, like `startTime`. */
  duration: number
  /** One sentence for the report: it is committed to a repository, so it holds no secret and nothing about a person. */
  failure: string | null
  /** Figures worth keeping. */
  meta: Record<string, number>
}

/** Resolves to figures worth keeping, if there are any. */
export type Work = () => Promise<Record<string, number> | undefined>

/** A check found what it looks for to be wrong. The message goes to the report. */
export class CheckFailure extends Error {
  override name = 'CheckFailure'
}

/**
 * Does the work and tells how it ended; never rejects. What it throws is a failure in the words of `explain`, and so is work that
 * is not done after `seconds`.
 */
export async function attempt(
  { group = null, title, seconds }: { group?: string | null; title: string; seconds: number },
  work: Work,
  explain: (error: unknown) => string,
): Promise<Outcome> {
  const startTime = Date.now()
  const started = performance.now()
  const outcome = (status: Outcome['status'], failure: string | null, meta: Outcome['meta'] = {}): Outcome => ({
    group,
    title,
    status,
    startTime,
    duration: Math.round(performance.now() - started),
    failure,
    meta,
  })
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new CheckFailure(`Not done within ${seconds} s`)), seconds * 1000)
  })
  try {
    return outcome('passed', null, await Promise.race([work(), tooLate]))
  } catch (error) {
    return outcome('failed', error instanceof CheckFailure ? error.message : explain(error))
  } finally {
    clearTimeout(timer)
  }
}

/** A check that was not made: skipped because one before it failed, or failed for the reason given. */
export const notMade = (group: string, title: string, failure: string | null = null): Outcome => ({
  group,
  title,
  status: failure === null ? 'skipped' : 'failed',
  startTime: Date.now(),
  duration: 0,
  failure,
  meta: {},
})
