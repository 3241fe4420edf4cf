import { randomUUID } from 'node:crypto'
import type { Role } from '@floorpass/api/contracts'
import type { Answer } from './browser.ts'
import type { TestApp } from './create-test-app.ts'
import type { SignedIn } from './route-samples.ts'

/** Founds an organization over HTTP, active for its founder. */
export async function found(founder: SignedIn, fields: Record<string, unknown> = {}) {
  const answer = await founder.post('/auth/organization/create', { name: 'Desk', slug: randomUUID(), ...fields })
  if (answer.status !== 200) throw new Error(`not founded: ${JSON.stringify(answer.body)}`)
  return answer.body as { id: string; slug: string; members: { id: string }[] }
}

/** An organization that stands in the database from one moment to the next, with these people in it. */
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

export const outcome = ({ status, code }: Answer): [number, string | undefined] => [status, code]

/** What get-session says is active. */
export const activeOrganizationOf = async (tab: SignedIn): Promise<string | null> =>
  ((await tab.get('/auth/get-session')).body as { session: { activeOrganizationId: string | null } }).session.activeOrganizationId
