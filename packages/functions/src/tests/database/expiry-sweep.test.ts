import { createExpirySweep, policy } from '@floorpass/api'
import { expect, test } from 'vitest'
import { createTestApp } from '../../test-support/create-test-app.ts'

const app = await createTestApp()
const { db, log } = app.service.deps

const ago = (seconds: number) => new Date(Date.now() - seconds * 1000)
const soon = ago(-3600)
const { keepLinks, keepAuditEvents, keepRefusedMails } = policy.sweep

/** Five rows of each table that have lost their use, and one that has just not. */
async function fill() {
  const { id: userId } = await db.user.create({ data: { name: 'Ada', email: app.person().email } })
  const { id: organizationId } = await db.organization.create({ data: { name: 'Desk', slug: userId } })
  for (let index = 0; index < 6; index += 1) {
    const isOver = index < 5
    const secretHash = `${userId}-${index}`
    const spent = isOver ? ago(1) : soon
    const old = ago(keepLinks + (isOver ? 60 : -60))
    await db.session.create({ data: { id: secretHash, handle: secretHash, userId, expiresAt: spent } })
    await db.verification.create({ data: { purpose: 'verify-email', secretHash, userId, expiresAt: old } })
    await db.trustedDevice.create({ data: { secretHash, userId, expiresAt: spent } })
    await db.invitation.create({ data: { organizationId, email: `${index}@x.test`, role: 'member', secretHash, expiresAt: old } })
    await db.auditEvent.create({ data: { userId, action: 'sign-in', createdAt: ago(keepAuditEvents + (isOver ? 60 : -60)) } })
    const createdAt = ago(keepRefusedMails + (isOver ? 60 : -60))
    await db.queuedMail.create({ data: { mailSealed: 'x', nextAttemptAt: null, createdAt } })
  }
  await db.queuedMail.create({ data: { mailSealed: 'x', nextAttemptAt: soon, createdAt: ago(10 * keepRefusedMails) } })
}

const counts = () =>
  Promise.all([
    db.session.count(),
    db.verification.count(),
    db.trustedDevice.count(),
    db.invitation.count(),
    db.auditEvent.count(),
    db.queuedMail.count(),
  ])
const tables = ['sessions', 'verifications', 'trusted_devices', 'invitations', 'audit_events', 'queued_mails']

test('a sweep removes what is over, in batches, and nothing else; several at once do it once', async () => {
  await fill()
  const sweeps = [2, 3].map((batchSize) => createExpirySweep({ db, log, batchSize }).sweep())
  const [one, other] = await Promise.all(sweeps)
  for (const table of tables) expect((one?.[table] ?? 0) + (other?.[table] ?? 0), table).toBe(5)
  expect(await counts()).toEqual([1, 1, 1, 1, 1, 2])
  expect(await app.service.expirySweep.sweep()).toEqual({})
})

test('a sweep that was stopped begins no batch', async () => {
  await fill()
  const before = await counts()
  const stopped = createExpirySweep({ db, log })
  await stopped.stop()
  expect(await stopped.sweep()).toEqual({})
  expect(await counts()).toEqual(before)
})
