import { isUniqueViolation } from '@floorpass/db'
import { policy } from '../kernel/policy.ts'
import { hashToken } from '../kernel/random-token.ts'
import type { ServiceScope } from '../service-credentials/scopes.ts'
import { createServiceSecret } from '../service-credentials/service-secret.ts'
import { administratorProcedure } from '../trpc.ts'
import type { Operator, Reader } from './operator.ts'

/** Creates a service and its first secret. Null if the name is taken. */
export async function createService(
  { ctx, name: createdBy }: Operator,
  name: string,
  scopes: readonly ServiceScope[],
): Promise<{ secret: string } | null> {
  const secret = createServiceSecret()
  try {
    await ctx.db.service.create({
      data: { name, scopes: [...scopes], createdBy, secrets: { create: { secretHash: hashToken(secret) } } },
    })
  } catch (error) {
    if (isUniqueViolation(error)) return null
    throw error
  }
  return { secret }
}

/** `uses` and `lastUsedAt` are up to half a minute late. */
export async function findServices({ ctx }: Reader) {
  const services = await ctx.db.service.findMany({
    orderBy: { name: 'asc' },
    include: { secrets: { orderBy: { createdAt: 'asc' } } },
  })
  return services.map(({ name, scopes, createdBy, createdAt, secrets }) => ({
    name,
    scopes,
    createdBy,
    createdAt,
    secrets: secrets.map(({ createdAt, lastUsedAt, uses, expiresAt }) => ({
      createdAt,
      lastUsedAt,
      uses: Number(uses),
      expiresAt,
    })),
  }))
}

export type Rotation =
  | { outcome: 'rotated'; secret: string; olderEndsAt: Date | null }
  | { outcome: 'two-alive'; olderEndsAt: Date }
  | { outcome: 'unknown' }

/** Adds a secret. The older one works for another day, or with `now` ends at once. Refuses a third live secret. */
export async function rotateService({ ctx }: Operator, name: string, { now }: { now: boolean }): Promise<Rotation> {
  return ctx.db.$transaction(async (tx) => {
    const [service] = await tx.$queryRaw<{ id: string }[]>`SELECT id FROM services WHERE name = ${name} FOR UPDATE`
    if (!service) return { outcome: 'unknown' }
    const serviceId = service.id
    await tx.serviceSecret.deleteMany({ where: { serviceId, ...(!now && { expiresAt: { lte: new Date() } }) } })
    const retiring = await tx.serviceSecret.findFirst({ where: { serviceId, expiresAt: { not: null } } })
    if (retiring?.expiresAt) return { outcome: 'two-alive', olderEndsAt: retiring.expiresAt }
    const expiresAt = new Date(Date.now() + policy.services.secretOverlap * 1000)
    const { count } = await tx.serviceSecret.updateMany({ where: { serviceId }, data: { expiresAt } })
    const secret = createServiceSecret()
    await tx.serviceSecret.create({ data: { serviceId, secretHash: hashToken(secret) } })
    return { outcome: 'rotated', secret, olderEndsAt: count > 0 ? expiresAt : null }
  })
}

/** Ends all secrets of a service at once. Returns false if there is no such service. */
export async function dropService({ ctx }: Operator, name: string): Promise<boolean> {
  const { count } = await ctx.db.service.deleteMany({ where: { name } })
  return count > 0
}

export const listServices = administratorProcedure('service:list').query(async ({ ctx }) => ({
  services: await findServices({ ctx }),
}))
