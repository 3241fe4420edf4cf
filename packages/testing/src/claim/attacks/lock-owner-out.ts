import { mailedToken } from '@floorpass/reliability'
import type { Attack } from '../row.ts'
import {
  addThiefPasskey,
  assertOn,
  nextCode,
  type Owner,
  panicLinkOf,
  resetPassword,
  type Scene,
  signInAsOwner,
  signInWithCode,
  withdraw,
} from '../scene.ts'
import { createTab, expectOk } from '../tab.ts'

export const lockOwnerOut = (scene: Scene, owner: Owner): Attack => ({
  name: 'The thief tries to lock the owner out',
  tried:
    'lock the account without a passkey or with a new one; delete the account; replace password, TOTP, passkey and email, and end every session',
  async run(row) {
    await withdraw(scene, await signInAsOwner(scene, owner), owner.authenticator)
    let thief = await signInWithCode(scene, owner)
    row.refused('lock without a passkey', await thief.post('/auth/protection/lock', { days: 30 }), 'PASSKEY_REQUIRED')
    expectOk(await thief.post('/auth/delete-user', { password: owner.password }), 'delete-user')
    const survives = async () =>
      (await createTab(scene.target).post('/auth/sign-in/email', { email: owner.email, password: owner.password })).status === 200
    row.held('the password alone deletes the account', await survives(), 'deletion needs the link in the mailbox')
    if (!(await survives())) return
    const passkey = await addThiefPasskey(thief)
    row.refused(
      'lock with a new passkey',
      await thief.post('/auth/protection/lock', { days: 30, passkey: await assertOn(thief, passkey) }),
      'PASSKEY_TOO_NEW',
    )
    const removed = async () =>
      expectOk(await thief.post('/auth/passkey/delete-passkey', { id: owner.passkeyId }), 'delete-passkey')
    const link = await panicLinkOf(scene, owner.email, removed)
    expectOk(await thief.post('/auth/delete-user', { password: owner.password }), 'delete-user')
    row.held(
      'the password deletes the account once the passkey is gone',
      await survives(),
      'deletion needs the link in the mailbox',
    )
    if (!(await survives())) return

    expectOk(await thief.post('/auth/two-factor/disable', { code: await nextCode(scene, owner.totpSecret) }), 'disable')
    const { totpURI } = expectOk<{ totpURI: string }>(
      await thief.post('/auth/two-factor/enable', { password: owner.password }),
      'enable',
    )
    const totpSecret = new URL(totpURI).searchParams.get('secret') ?? ''
    expectOk(await thief.post('/auth/two-factor/verify', { code: await nextCode(scene, totpSecret) }), 'verify')
    const newEmail = `thief-of-${owner.email}`
    expectOk(await thief.post('/auth/change-email', { newEmail }), 'change-email')
    const changed = await mailedToken(scene.mailbox, newEmail, 'verify-email')
    expectOk(await thief.post('/auth/verify-email', { token: changed }), 'verify-email')
    const stolen = { ...owner, email: newEmail, password: 'violet harbor ladder', totpSecret }
    thief = await signInWithCode(scene, { ...stolen, password: owner.password })
    expectOk(
      await thief.post('/auth/change-password', { currentPassword: owner.password, newPassword: stolen.password }),
      'change-password',
    )
    expectOk(await thief.post('/auth/revoke-other-sessions'), 'revoke-other-sessions')
    row.refused(
      'delete the account with the new email',
      await thief.post('/auth/delete-user', { password: stolen.password }),
      'EMAIL_RECENTLY_CHANGED',
    )

    expectOk(await createTab(scene.target).post('/auth/panic', { token: link }), 'panic')
    const undo = await mailedToken(scene.mailbox, owner.email, 'undo-email-change')
    expectOk(await createTab(scene.target).post('/auth/undo-email-change', { token: undo }), 'undo-email-change')
    const password = 'amber canyon flute'
    await resetPassword(scene, owner.email, password)
    const own = createTab(scene.target)
    const back = expectOk<{ twoFactorRedirect?: boolean }>(
      await own.post('/auth/sign-in/email', { email: owner.email, password }),
      'sign-in of the owner',
    )
    row.held(
      'the owner, with the mailbox alone, cannot sign in again',
      back.twoFactorRedirect !== true && (await own.get('/auth/verify')).status === 200,
      'panic link, undo link and reset',
    )
    row.refused('the session of the thief', await thief.get('/auth/verify'), 'UNAUTHORIZED')
    row.refused(
      'the password of the thief',
      await createTab(scene.target).post('/auth/sign-in/email', stolen),
      'INVALID_EMAIL_OR_PASSWORD',
    )
    const byPasskey = await signInAsOwner(scene, { authenticator: passkey }).then(
      () => ({ status: 200, code: undefined }),
      () => ({ status: 404, code: 'PASSKEY_NOT_FOUND' }),
    )
    row.refused('the passkey of the thief', byPasskey, 'PASSKEY_NOT_FOUND')
  },
})
