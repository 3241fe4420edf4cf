import { randomUUID } from 'node:crypto'
import type { Role } from '@floorpass/api/contracts'
import type { TestApp } from './create-test-app.ts'
import type { SignedIn } from './route-samples.ts'

/** Creates an organization over HTTP and makes it active. */
export async function found(founder: SignedIn, fields: Record<string, unknown> = {}) {
  const answer = await founder.post('/auth/organization/create', { name: 'Desk', slug: randomUUID(), ...fields })
  if (answer.status !== 200) throw new Error(`the organization was not created: ${JSON.stringify(answer.body)}`)
  return answer.body as { id: string; slug: string; members: { id: string }[] }
}

/** Inserts an organization and its members directly into the database. */
export async function assemble(app: TestApp, people: readonly (readonly [SignedIn, Role])[]) {
  const slug = randomUUID()
  const taken = await app.db.member.findMany({ where: { userId: { in: people.map(([{ userId }]) => userId) } } })
  const freeSlot = (userId: string) => {
    const slots = taken.filter((member) => member.userId === userId).map(({ slot }) => slot)
    return [1, 2, 3, 4, 5].find((slot) => !slots.includes(slot)) ?? 6
  }
  return app.db.organization.create({
    data: {
      name: 'Desk',
      slug,
      members: { create: people.map(([{ userId }, role]) => ({ userId, role, slot: freeSlot(userId) })) },
    },
  })
}

export const memberIdOf = async (app: TestApp, organizationId: string, { userId }: SignedIn): Promise<string> =>
  (await app.db.member.findUniqueOrThrow({ where: { organizationId_userId: { organizationId, userId } } })).id

export const roleOf = async (app: TestApp, organizationId: string, { userId }: SignedIn): Promise<string | null> =>
  (await app.db.member.findUnique({ where: { organizationId_userId: { organizationId, userId } } }))?.role ?? null

/** The active organization according to get-session. */
export const activeOrganizationOf = async (tab: SignedIn): Promise<string | null> =>
  ((await tab.get('/auth/get-session')).body as { session: { activeOrganizationId: string | null } }).session.activeOrganizationId
