import type { Deps } from '@floorpass/api'
import { Counter, Gauge, type Registry } from 'prom-client'

export function registerProcessGauges(registry: Registry, { passwords, sessionCache }: Pick<Deps, 'passwords' | 'sessionCache'>) {
  const registers = [registry]
  const sessionReads: Counter<'from'> = new Counter({
    name: 'floorpass_session_reads_total',
    help: 'Sessions that were read from memory and from the database',
    labelNames: ['from'],
    registers,
    collect() {
      const { hits, misses } = sessionCache.stats()
      sessionReads.reset()
      sessionReads.inc({ from: 'memory' }, hits)
      sessionReads.inc({ from: 'database' }, misses)
    },
  })
  const cachedSessions = new Gauge({
    name: 'floorpass_sessions_in_memory',
    help: 'Sessions that this process has in memory',
    registers,
    collect() {
      cachedSessions.set(sessionCache.stats().size)
    },
  })
  const channelUp = new Gauge({
    name: 'floorpass_session_channel_up',
    help: 'Whether the database notifies this process of session changes; if not, all sessions are read from the database',
    aggregator: 'min',
    registers,
    collect() {
      channelUp.set(Number(sessionCache.stats().channelUp))
    },
  })
  const hashes = new Gauge({
    name: 'floorpass_password_hashes',
    help: 'Password hashes that are running, and that wait for a thread',
    labelNames: ['state'],
    registers,
    collect() {
      hashes.set({ state: 'running' }, passwords.load().running)
      hashes.set({ state: 'waiting' }, passwords.load().waiting)
    },
  })
  const refusedHashes: Counter = new Counter({
    name: 'floorpass_password_hashes_refused_total',
    help: 'Password hashes that were refused with SERVICE_BUSY because the queue was full',
    registers,
    collect() {
      refusedHashes.reset()
      refusedHashes.inc(passwords.load().refused)
    },
  })
}
