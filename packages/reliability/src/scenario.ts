import type { PostgresCluster } from './postgres-cluster.ts'

/** The resources of a scenario. It may break all of them. */
export type Workplace = {
  quick: boolean
  redisBinary: string
  postgres(): Promise<PostgresCluster>
  /** Creates an empty folder that the run removes. */
  folder(): Promise<string>
  say(line: string): void
}

/** The result of a scenario. It held when `problems` is empty. */
export type Outcome = {
  load: string
  faults: string
  requests: number
  lost: string
  recovery: string
  problems: string[]
}

export type Scenario = {
  name: string
  promise: string
  needs: readonly ('postgres' | 'redis' | 'mount' | 'history')[]
  run(workplace: Workplace): Promise<Outcome>
}

export function expectThat(problems: string[], condition: boolean, problem: string): void {
  if (!condition) problems.push(problem)
}

export const formatRate = (requests: number, ms: number): string => `${Math.round((requests * 1000) / ms)} requests/s`
