import { signInWithPasskey } from '../../passkeys.ts'
import type { Attack, Row } from '../row.ts'
import {
  addThiefPasskey,
  approve,
  askForWithdrawal,
  assertOn,
  day,
  getHoldEnd,
  nextCode,
  type Owner,
  order,
  panicLinkOf,
  pay,
  type Scene,
  signInAsOwner,
  signInWithCode,
  startWithdrawal,
  withdraw,
} from '../scene.ts'
import { createTab, expectOk, type Tab } from '../tab.ts'

export const newPassword = 'violet harbor ladder'

type Change = { name: string; change(scene: Scene, tab: Tab, owner: Owner): Promise<unknown> }

const changes: Change[] = [
  {
    name: 'changed password',
    change: async (_, tab, { password }) =>
      expectOk(await tab.post('/auth/change-password', { currentPassword: password, newPassword }), 'change-password'),
  },
  {
    name: 'second factor turned off by the password',
    change: async (_, tab, { password }) => expectOk(await tab.post('/auth/two-factor/disable', { password }), 'disable'),
  },
  {
    name: 'second factor turned off by a code',
    change: async (scene, tab, { totpSecret }) =>
      expectOk(await tab.post('/auth/two-factor/disable', { code: await nextCode(scene, totpSecret) }), 'disable'),
  },
  {
    name: 'new backup codes',
    change: async (_, tab, { password }) =>
      expectOk(await tab.post('/auth/two-factor/generate-backup-codes', { password }), 'generate-backup-codes'),
  },
  {
    name: 'removed passkey of the owner',
    change: async (_, tab, { passkeyId }) =>
      expectOk(await tab.post('/auth/passkey/delete-passkey', { id: passkeyId }), 'delete-passkey'),
  },
]

export const changeCredentials = (scene: Scene, owners: readonly Owner[]): Attack => ({
  name: 'The thief resets the password or changes a factor',
  tried: `${changes.map(({ name }) => name).join(', ')}, 10 guessed reset links; withdraw at once and a second before the hold of 24 or 72 h ends`,
  async run(row) {
    for (let guess = 0; guess < 10; guess += 1) {
      const token = Buffer.from(`${guess}`.padStart(32, 'x')).toString('base64url')
      row.refused(
        'a guessed reset link',
        await createTab(scene.target).post('/auth/reset-password', { token, newPassword }),
        'INVALID_TOKEN',
      )
    }
    const thieves: { name: string; owner: Owner; tab: Tab }[] = []
    for (const [index, { name, change }] of changes.entries()) {
      const owner = owners[index] as Owner
      await withdraw(scene, await signInAsOwner(scene, owner), owner.authenticator)
      const tab = await signInWithCode(scene, owner)
      await change(scene, tab, owner)
      thieves.push({ name, owner, tab })
      row.refused(`withdraw after: ${name}`, await askForWithdrawal(scene, tab), 'INSUFFICIENT_SCOPE')
      row.refused(`approve after: ${name}`, await approveDirectly(scene, tab), 'ACCOUNT_HELD')
      row.refused(
        `key after: ${name}`,
        await askWithKey(scene, owner),
        'ACCOUNT_HELD',
        'INSUFFICIENT_SCOPE',
        'INSUFFICIENT_API_KEY_PERMISSIONS',
        'INVALID_API_KEY',
      )
      row.refused(`end the hold after: ${name}`, await tab.post('/auth/protection/lift-hold', {}), 'PASSKEY_REQUIRED')
    }
    const ends = await Promise.all(thieves.map(({ tab }) => getHoldEnd(tab)))
    const byEnd = thieves.map((thief, index) => ({ ...thief, end: ends[index] ?? 0 })).sort((left, right) => left.end - right.end)
    for (const { name, owner, tab, end } of byEnd) {
      await scene.service.freeze(end - 1000)
      row.refused(`withdraw a second before the hold ends: ${name}`, await askForWithdrawal(scene, tab), 'INSUFFICIENT_SCOPE')
      row.refused(
        `key a second before the hold ends: ${name}`,
        await askWithKey(scene, owner),
        'ACCOUNT_HELD',
        'INSUFFICIENT_SCOPE',
        'INVALID_API_KEY',
      )
    }
    await scene.service.freeze(Math.max(...ends))
    for (const { name, tab } of thieves) {
      const started = await startWithdrawal(scene, tab)
      const { id } = started.confirmation
      row.refused(`approve after the hold of: ${name}`, await tab.post('/auth/confirmation/approve', { id }), 'PASSKEY_REQUIRED')
      row.refused(`pay after the hold of: ${name}`, await pay(scene, started, ''), 'RECEIPT_INVALID')
    }
    await scene.service.step(0)
  },
})

const askWithKey = (scene: Scene, { bearerKey: { key } }: Owner) =>
  askForWithdrawal(scene, createTab(scene.target), order, { authorization: `Bearer ${key}` })

/** The thief creates a confirmation in the session, without the withdrawal service. */
async function approveDirectly({ withdrawals: { audience } }: Scene, tab: Tab) {
  const body = { authorization_details: [{ type: 'withdrawal', ...order }], audience }
  const { id } = expectOk<{ id: string }>(await tab.post('/auth/confirmation/create', body), 'confirmation/create')
  return tab.post('/auth/confirmation/approve', { id })
}

export const addPasskey = (scene: Scene, owners: readonly [Owner, Owner]): Attack => ({
  name: 'The thief adds a passkey and waits',
  tried:
    'withdraw with it at once, at 24 h − 1 s and at 24 h; end the hold; lock the account at 24 h; sign in after the owner pressed the panic link at 24 h − 1 s',
  async run(row) {
    const waiting = await start(scene, row, owners[0])
    const stopped = await start(scene, row, owners[1])
    const end = await getHoldEnd(waiting.tab)
    await scene.service.freeze(Math.min(end, await getHoldEnd(stopped.tab)) - 1000)
    for (const { tab } of [waiting, stopped])
      row.refused('withdraw at 24 h − 1 s', await askForWithdrawal(scene, tab), 'INSUFFICIENT_SCOPE')
    expectOk(await createTab(scene.target).post('/auth/panic', { token: stopped.link }), 'panic')
    await scene.service.freeze(Math.max(end, scene.service.now() + 1000))

    // A lock refuses a password reset, so a thief who locks could keep the owner out for 30 days.
    const lock = { days: 30, passkey: await assertOn(waiting.tab, waiting.passkey) }
    row.refused('lock the account at 24 h', await waiting.tab.post('/auth/protection/lock', lock), 'PASSKEY_TOO_NEW')
    // Floorpass stops protecting here, as docs/claim.md says. The passkey that the service pinned still does.
    const started = await startWithdrawal(scene, waiting.tab)
    const approved = await approve(waiting.tab, started, waiting.passkey)
    const { receipt = '' } = (approved.body ?? {}) as { receipt?: string }
    row.refused(
      'withdraw at 24 h with the passkey of the thief',
      await pay(scene, started, receipt),
      'RECEIPT_OF_ANOTHER_PASSKEY',
    )

    row.refused('the session after the panic link', await askForWithdrawal(scene, stopped.tab), 'UNAUTHORIZED')
    const signIn = () => signInWithPasskey(createTab(scene.target), stopped.passkey, { origin: scene.target.origin })
    row.refused('a new session with the passkey of the thief', await signIn(), 'PASSKEY_NOT_FOUND')
    // The hold and the lock of the press are over by then.
    await scene.service.step(4 * day)
    row.refused('four days later', await signIn(), 'PASSKEY_NOT_FOUND')
  },
})

async function start(scene: Scene, row: Row, owner: Owner) {
  await withdraw(scene, await signInAsOwner(scene, owner), owner.authenticator)
  const tab = await signInWithCode(scene, owner)
  const added: Awaited<ReturnType<typeof addThiefPasskey>>[] = []
  const link = await panicLinkOf(scene, owner.email, async () => added.push(await addThiefPasskey(tab)))
  const [passkey] = added
  if (!passkey) throw new Error('no passkey was added')
  row.refused('withdraw at once', await askForWithdrawal(scene, tab), 'INSUFFICIENT_SCOPE')
  const lift = { passkey: await assertOn(tab, passkey) }
  row.refused('end the hold with it', await tab.post('/auth/protection/lift-hold', lift), 'PASSKEY_TOO_NEW')
  const { withdrawals, target } = scene
  const body = { authorization_details: [{ type: 'withdrawal', ...order }], audience: withdrawals.audience }
  const confirmation = expectOk<{ id: string; options: Parameters<typeof passkey.authenticate>[0] }>(
    await tab.post('/auth/confirmation/create', body),
    'create',
  )
  const response = passkey.authenticate(confirmation.options, { origin: target.origin })
  row.refused('approve at once', await tab.post('/auth/confirmation/approve', { id: confirmation.id, response }), 'ACCOUNT_HELD')
  return { tab, passkey, link }
}
