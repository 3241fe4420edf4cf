import type { OpenDatabase } from '@floorpass/db'
import { Gauge, type Registry } from 'prom-client'

export function registerPoolGauges(registry: Registry, poolState: OpenDatabase['poolState']): void {
  const registers = [registry]
  const collect = (): void => {
    if (!poolState) {
      for (const gauge of [limit, waiting, longestWait]) gauge.remove()
      return
    }
    const state = poolState()
    connections.set({ state: 'in_use' }, state.open - state.idle)
    connections.set({ state: 'idle' }, state.idle)
    limit.set(state.limit)
    waiting.set(state.waiting)
    longestWait.set(state.longestWait)
  }
  const connections = new Gauge({
    name: 'floorpass_database_connections',
    help: 'Open connections of the pool to PostgreSQL, by state',
    labelNames: ['state'],
    registers,
    collect,
  })
  const limit = new Gauge({
    name: 'floorpass_database_connection_limit',
    help: 'Connections that the pool opens at most',
    registers,
    collect,
  })
  const waiting = new Gauge({
    name: 'floorpass_database_connection_waiters',
    help: 'Callers that wait for a connection to PostgreSQL',
    registers,
    collect,
  })
  const longestWait = new Gauge({
    name: 'floorpass_database_connection_longest_wait_seconds',
    help: 'Longest wait for a connection to PostgreSQL within the last minute or two',
    aggregator: 'max',
    registers,
    collect,
  })
}
