import type { Outcome } from './attempt.ts'

/** A test run in the format of Vitest's JSON reporter, so that the same tools read both. */
export type Report = ReturnType<typeof reportOf>

/** Builds the report of one suite. `name` takes the place of Vitest's file path. */
export function reportOf(name: string, startTime: number, outcomes: readonly Outcome[]) {
  const count = (status: Outcome['status']) => outcomes.filter((outcome) => outcome.status === status).length
  const isFailed = outcomes.length === 0 || count('failed') > 0
  const groups = Map.groupBy(
    outcomes.filter(({ group }) => group !== null),
    ({ group }) => group,
  )
  const failedGroups = [...groups.values()].filter((group) => group.some(({ status }) => status === 'failed')).length
  const suites = groups.size + 1
  const failedSuites = failedGroups + (isFailed ? 1 : 0)
  return {
    numTotalTestSuites: suites,
    numPassedTestSuites: suites - failedSuites,
    numFailedTestSuites: failedSuites,
    numPendingTestSuites: 0,
    numTotalTests: outcomes.length,
    numPassedTests: count('passed'),
    numFailedTests: count('failed'),
    numPendingTests: count('skipped'),
    numTodoTests: 0,
    snapshot: {
      added: 0,
      failure: false,
      filesAdded: 0,
      filesRemoved: 0,
      filesRemovedList: [],
      filesUnmatched: 0,
      filesUpdated: 0,
      matched: 0,
      total: 0,
      unchecked: 0,
      uncheckedKeysByFile: [],
      unmatched: 0,
      updated: 0,
      didUpdate: false,
    },
    startTime,
    success: !isFailed,
    testResults: [
      {
        assertionResults: outcomes.map(({ group, title, status, duration, failure, meta }) => {
          const ancestorTitles = group === null ? [''] : ['', group]
          return {
            ancestorTitles,
            fullName: [...ancestorTitles, title].join(' '),
            status,
            title,
            duration,
            failureMessages: failure === null ? [] : [failure],
            meta,
            tags: [],
          }
        }),
        startTime,
        endTime: Math.max(startTime, ...outcomes.map((outcome) => outcome.startTime + outcome.duration)),
        status: isFailed ? 'failed' : 'passed',
        message: outcomes.length === 0 ? 'The suite has no checks.' : '',
        name,
      },
    ],
  }
}
