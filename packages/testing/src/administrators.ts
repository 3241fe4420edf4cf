import type { AdministratorRole } from '@floorpass/api/administration'
import type { TestApp } from './create-test-app.ts'

/** Gives the caller a role, and a code that was proved in this session just now. */
export async function makeAdministrator(
  { db, service }: Pick<TestApp, 'db' | 'service'>,
  { userId }: { userId: string },
  role: AdministratorRole | null = 'admin',
): Promise<void> {
  await db.user.update({ where: { id: userId }, data: { role, twoFactorEnabled: true } })
  await db.session.updateMany({ where: { userId }, data: { secondFactorAt: new Date() } })
  await service.deps.changes.flush()
}
