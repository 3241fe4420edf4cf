import type { Report } from '@floorpass/functions'

export type SmokeReport = Report

export const secret = 'a pipeline secret that only tests know'
export const withSecret = { headers: { authorization: `Bearer ${secret}` } }

/** One line per test: `passed kraken is reachable`. */
export const resultsOf = ({ testResults }: SmokeReport): string[] =>
  testResults.flatMap(({ assertionResults }) =>
    assertionResults.map(({ status, ancestorTitles, title }) => [status, ...ancestorTitles.slice(1), title].join(' ')),
  )
