import type { Redis } from 'ioredis'
import { Gauge, type Registry } from 'prom-client'
import { certificateCodes, credentialRefusal, permissionRefusal, pingRedis } from '../redis.ts'

const reasons: Record<string, (error: NodeJS.ErrnoException) => boolean> = {
  credentials: ({ message }) => credentialRefusal.test(message),
  permission: ({ message }) => permissionRefusal.test(message),
  certificate: ({ code = '' }) => certificateCodes.test(code),
  read_only: ({ message }) => message.includes('READONLY'),
  memory: ({ message }) => /^(OOM|MISCONF)/.test(message),
  unreachable: ({ code = '', message }) => /^E[A-Z_]+$/.test(code) || /not ready|timed? ?out|closed/i.test(message),
  other: () => true,
}

export function registerRedisGauges(registry: Registry, redis: Redis | null): void {
  const registers = [registry]
  let connectionError: Error | null = null
  redis?.on('error', (error: Error) => {
    connectionError = error
  })
  redis?.on('ready', () => {
    connectionError = null
  })
  let update: Promise<void> | undefined
  const collect = async (): Promise<void> => {
    if (!redis) return up.remove()
    update ??= updateGauges(redis).finally(() => {
      update = undefined
    })
    return update
  }
  const up = new Gauge({
    name: 'floorpass_redis_up',
    help: 'Whether Redis counted during this scrape; if not, this process counts limits alone',
    aggregator: 'min',
    registers,
    collect,
  })
  const failing = new Gauge({
    name: 'floorpass_redis_failing',
    help: 'Why Redis did not count during this scrape: 1 for the reason',
    aggregator: 'max',
    labelNames: ['reason'],
    registers,
    collect,
  })

  async function updateGauges(client: Redis): Promise<void> {
    const failure = await pingRedis(client).then(
      () => null,
      (error: unknown) => connectionError ?? (error instanceof Error ? error : new Error(String(error))),
    )
    const current = failure && Object.entries(reasons).find(([, matches]) => matches(failure))?.[0]
    up.set(failure ? 0 : 1)
    for (const reason of Object.keys(reasons)) failing.set({ reason }, reason === current ? 1 : 0)
  }
}
