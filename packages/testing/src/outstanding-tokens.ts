import type { TestApp } from './create-test-app.ts'

const purposes = [
  'change-email',
  'create-passkey',
  'delete-account',
  'passkey-authentication',
  'passkey-registration',
  'reauthenticate',
  'reset-password',
  'social-sign-in',
  'two-factor',
  'undo-email-change',
  'verify-email',
]

/** Gives a user one unused token of every purpose. */
export async function createEveryToken({ db }: Pick<TestApp, 'db'>, userId: string): Promise<void> {
  await db.verification.createMany({
    data: purposes.map((purpose) => ({
      purpose,
      userId,
      secretHash: `${purpose} of ${userId}`,
      expiresAt: new Date(Date.now() + 600_000),
    })),
  })
}

/** The purposes of which a user no longer has an unused token. */
export async function listVoidedPurposes({ db }: Pick<TestApp, 'db'>, userId: string): Promise<string[]> {
  const left = await db.verification.findMany({ where: { userId, usedAt: null } })
  return purposes.filter((purpose) => left.every((token) => token.purpose !== purpose))
}
