export type Outcome = {
  group: string | null
  title: string
  status: 'passed' | 'failed' | 'skipped'
  startTime: number
  duration: number
  /** One sentence without secrets and personal data: the report is committed to a repository. */
  failure: string | null
  meta: Record<string, number>
}

export type Work = () => Promise<Record<string, number> | undefined>

export class CheckFailure extends Error {
  override name = 'CheckFailure'
}

/** Runs `work` for at most `seconds` and returns its outcome. Never rejects: `explain` describes what `work` throws. */
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
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new CheckFailure(`Not done within ${seconds} s`)), seconds * 1000)
  })
  try {
    return outcome('passed', null, await Promise.race([work(), timeout]))
  } catch (error) {
    return outcome('failed', error instanceof CheckFailure ? error.message : explain(error))
  } finally {
    clearTimeout(timer)
  }
}

/** The outcome of a check that did not run: failed if `failure` is given, otherwise skipped. */
export const notRun = (group: string, title: string, failure: string | null = null): Outcome => ({
  group,
  title,
  status: failure === null ? 'skipped' : 'failed',
  startTime: Date.now(),
  duration: 0,
  failure,
  meta: {},
})
