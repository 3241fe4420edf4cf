import type { PatroniCluster } from './patroni-cluster.ts'
import type { PostgresCluster } from './postgres-cluster.ts'

/** The resources of a scenario. It may break all of them. */
export type Workplace = {
  quick: boolean
  /** The faults to run one after the other, in scenarios that know several. Null for all. */
  faults: readonly string[] | null
  redisBinary: string
  postgres(): Promise<PostgresCluster>
  patroni(): Promise<PatroniCluster>
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
  needs: readonly ('postgres' | 'redis' | 'mount' | 'history' | 'patroni')[]
  /** Takes minutes: not part of `--quick`. */
  isLong?: boolean
  run(workplace: Workplace): Promise<Outcome>
}

export function expectThat(problems: string[], condition: boolean, problem: string): void {
  if (!condition) problems.push(problem)
}

export const formatRate = (requests: number, ms: number): string => `${Math.round((requests * 1000) / ms)} requests/s`
