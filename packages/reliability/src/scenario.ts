import type { PostgresCluster } from './postgres-cluster.ts'

/** What a scenario has to work with. Nothing that it may break belongs to anybody else. */
export type Workplace = {
  /** Fewer rounds of the same, for a pipeline. */
  quick: boolean
  /** Redis or Valkey. */
  redisBinary: string
  postgres(): Promise<PostgresCluster>
  /** An empty folder that goes with the run. */
  folder(): Promise<string>
  /** What is going on, for whoever watches. */
  say(line: string): void
}

/** What was seen. `problems` is empty when all of it is as it should be. */
export type Outcome = {
  /** The load that was held while the faults came. */
  load: string
  faults: string
  requests: number
  lost: string
  recovery: string
  problems: string[]
}

export type Scenario = {
  name: string
  /** What must hold, in one sentence. */
  promise: string
  needs: readonly ('postgres' | 'redis' | 'mount')[]
  run(workplace: Workplace): Promise<Outcome>
}

/** Adds a problem unless the fact holds. */
export function expectThat(problems: string[], fact: boolean, otherwise: string): void {
  if (!fact) problems.push(otherwise)
}

export const rate = (requests: number, ms: number): string => `${Math.round((requests * 1000) / ms)} requests/s`
