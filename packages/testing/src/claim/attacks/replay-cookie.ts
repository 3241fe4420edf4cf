import { createSoftwareAuthenticator } from '../../software-authenticator.ts'
import type { Attack } from '../row.ts'
import { nextCode, type Owner, pay, type Scene, signInAsOwner, signInWithCode, startWithdrawal, withdraw } from '../scene.ts'
import { expectOk } from '../tab.ts'

export const replayCookie = (scene: Scene, owner: Owner): Attack => ({
  name: 'A stolen cookie is replayed elsewhere',
  tried: 'approve with nothing, a code, an older assertion, an unknown passkey, another session; pay without a receipt',
  async run(row) {
    const { authenticator, totpSecret } = owner
    const tab = await signInAsOwner(scene, owner)
    await withdraw(scene, tab, authenticator)
    const thief = tab.copy()
    const started = await startWithdrawal(scene, thief)
    const { id, options } = started.confirmation
    const approve = (fields: object) => thief.post('/auth/confirmation/approve', { id, ...fields })
    const { origin } = scene.target
    row.refused('no proof', await approve({}), 'PASSKEY_REQUIRED')
    row.refused('a code', await approve({ code: await nextCode(scene, totpSecret) }), 'PASSKEY_REQUIRED')
    const seen = authenticator.authenticate((await startWithdrawal(scene, tab)).confirmation.options, { origin })
    row.refused('an older assertion', await approve({ response: seen }), 'AUTHENTICATION_FAILED')
    const unverified = authenticator.authenticate(options, { origin, userVerified: false })
    row.refused(
      'a press without the fingerprint',
      await approve({ response: unverified }),
      'USER_VERIFICATION_REQUIRED',
      'AUTHENTICATION_FAILED',
    )
    const unknown = createSoftwareAuthenticator()
    unknown.register({ challenge: '', rp: { id: options.rpId }, user: { id: 'x' } }, { origin })
    const { allowCredentials: _, ...open } = options
    row.refused('an unknown passkey', await approve({ response: unknown.authenticate(open, { origin }) }), 'PASSKEY_NOT_FOUND')
    const [known] = options.allowCredentials
    const claimed = { ...unknown.authenticate(open, { origin }), id: known?.id, rawId: known?.id }
    row.refused(
      'an unknown passkey under the name of the known one',
      await approve({ response: claimed }),
      'AUTHENTICATION_FAILED',
    )
    row.refused('no receipt', await pay(scene, started, ''), 'RECEIPT_INVALID')
    const { token } = expectOk<{ token: string }>(
      await thief.get(`/auth/token?audience=${encodeURIComponent(scene.withdrawals.audience)}`),
      'token',
    )
    row.refused('an access token as the receipt', await pay(scene, started, token), 'RECEIPT_INVALID')

    const own = await signInWithCode(scene, owner)
    const pending = await startWithdrawal(scene, tab)
    const response = authenticator.authenticate(pending.confirmation.options, { origin })
    const crossed = await own.post('/auth/confirmation/approve', { id: pending.confirmation.id, response })
    row.refused('another session of the same user', crossed, 'CONFIRMATION_NOT_FOUND')
    row.refused(
      'reading it in another session',
      await own.get(`/auth/confirmation/get?id=${pending.confirmation.id}`),
      'CONFIRMATION_NOT_FOUND',
    )
  },
})
