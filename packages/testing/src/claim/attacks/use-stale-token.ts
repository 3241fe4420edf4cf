import { createPublicKey, verify, type webcrypto } from 'node:crypto'

type JsonWebKey = webcrypto.JsonWebKey

import type { Attack } from '../row.ts'
import { approve, type Owner, pay, type Scene, signInAsOwner, startWithdrawal, withdraw } from '../scene.ts'
import { createTab, expectOk } from '../tab.ts'

export const useStaleToken = (scene: Scene, owner: Owner): Attack => ({
  name: 'A gateway believes a stale identity',
  tried: 'use the token, the cookie and an approved confirmation after the session has ended',
  async run(row) {
    const tab = await signInAsOwner(scene, owner)
    await withdraw(scene, tab, owner.authenticator)
    const audience = encodeURIComponent(scene.withdrawals.audience)
    const { token } = expectOk<{ token: string }>(await tab.get(`/auth/token?audience=${audience}`), 'token')
    const { exp = 0, iat = 0 } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<
      string,
      number
    >
    row.held(`the token lives ${exp - iat} s`, exp - iat <= 120, 'token of 120 s or less')
    const started = await startWithdrawal(scene, tab)
    const { receipt } = expectOk<{ receipt: string }>(await approve(tab, started, owner.authenticator), 'approve')
    const thief = tab.copy()
    expectOk(await tab.post('/auth/sign-out'), 'sign-out')

    row.refused('the confirmation of the ended session', await pay(scene, started, receipt), 'CONFIRMATION_SESSION_NOT_FOUND')
    row.refused('the cookie', await thief.get('/auth/verify'), 'UNAUTHORIZED')
    const bearer = { headers: { authorization: `Bearer ${token}` } }
    const asked = await createTab(scene.target).get(`/auth/verify?audience=${audience}`, bearer)
    row.refused('the token, where the gateway asks', asked, 'UNAUTHORIZED')
    const { keys } = expectOk<{ keys: (JsonWebKey & { kid: string })[] }>(await thief.get('/auth/jwks'), 'jwks')
    row.works('verify the token offline before it expires', isSigned(token, keys) && exp * 1000 > scene.service.now())
    await scene.service.freeze((exp + 6) * 1000)
    row.held('the token is accepted after it expires', exp * 1000 < scene.service.now(), 'exp of the token')
    row.refused(
      'the token after it has expired',
      await createTab(scene.target).get(`/auth/verify?audience=${audience}`, bearer),
      'UNAUTHORIZED',
    )
    await scene.service.step(0)
  },
})

function isSigned(token: string, keys: readonly (JsonWebKey & { kid: string })[]): boolean {
  const [head = '', body = '', signature = ''] = token.split('.')
  const { kid } = JSON.parse(Buffer.from(head, 'base64url').toString()) as { kid: string }
  const key = keys.find((candidate) => candidate.kid === kid)
  if (!key) return false
  const publicKey = createPublicKey({ key, format: 'jwk' })
  return verify(
    'sha256',
    Buffer.from(`${head}.${body}`),
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  )
}
