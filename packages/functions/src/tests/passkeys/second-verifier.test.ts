import { spawnSync } from 'node:child_process'
import { createHash, createPublicKey, verify } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { createAssertion, createRegistration } from '@floorpass/testing/passkeys'
import { createSoftwareAuthenticator } from '@floorpass/testing/software-authenticator'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()
const script = fileURLToPath(new URL('second-verifier.py', import.meta.url))
/** Debian's Python is not always the first one. */
const python = ['python3', '/usr/bin/python3'].find((name) => spawnSync(name, ['-c', 'import fido2']).status === 0)
if (python === undefined && process.env.CI) throw new Error('python3-fido2 is missing: apt install python3-fido2')

type Response = { clientDataJSON: string; authenticatorData: string; signature: string }

const challengeOf = ({ response }: { response: { clientDataJSON: string } }): string =>
  JSON.parse(Buffer.from(response.clientDataJSON, 'base64url').toString()).challenge

/** A registration and a sign-in that the service accepted, as they went over the wire. */
async function recordCeremonies(isSyncable: boolean) {
  const tab = await app.signedIn()
  const authenticator = createSoftwareAuthenticator({ isSyncable })
  const registration = await createRegistration(tab, authenticator)
  expect((await tab.post('/auth/passkey/verify-registration', { response: registration })).status).toBe(200)
  const visitor = app.browser()
  const authentication = await createAssertion(visitor, authenticator)
  expect((await visitor.post('/auth/passkey/verify-authentication', { response: authentication })).status).toBe(200)
  const { privateKey } = authenticator.credentials[0] ?? {}
  if (!privateKey) throw new Error('no credential')
  const withChallenge = <Answer extends typeof registration | typeof authentication>(answer: Answer) => ({
    ...answer,
    challenge: challengeOf(answer),
  })
  return {
    rpId: 'localhost',
    origin: 'http://localhost:3000',
    registration: withChallenge(registration),
    authentication: withChallenge(authentication),
    publicKey: createPublicKey(privateKey),
  }
}
type Ceremonies = Awaited<ReturnType<typeof recordCeremonies>>

const verifyInPython = ({ publicKey, ...input }: Ceremonies): string => {
  const { stdout, stderr } = spawnSync(python ?? '', [script], { input: JSON.stringify(input), encoding: 'utf8' })
  return `${stdout}${stderr}`.trim()
}

/** WebAuthn 7.2, steps 11 to 21, with Node's crypto alone. */
function verifyInNode({ rpId, origin, authentication, publicKey }: Ceremonies): string {
  const { clientDataJSON, authenticatorData, signature } = authentication.response as Response
  const clientData = Buffer.from(clientDataJSON, 'base64url')
  const data = Buffer.from(authenticatorData, 'base64url')
  const expected = { type: 'webauthn.get', challenge: authentication.challenge, origin }
  const named = JSON.parse(clientData.toString()) as Record<string, unknown>
  const isBound = Object.entries(expected).every(([name, value]) => named[name] === value)
  const isForUs = data.subarray(0, 32).equals(createHash('sha256').update(rpId).digest())
  const isVerified = ((data[32] ?? 0) & 0x05) === 0x05
  const signed = Buffer.concat([data, createHash('sha256').update(clientData).digest()])
  const isSigned = verify('sha256', signed, publicKey, Buffer.from(signature, 'base64url'))
  return isBound && isForUs && isVerified && isSigned ? 'accepted' : 'refused'
}

const flip = (text: string, at: number): string => {
  const bytes = Buffer.from(text, 'base64url')
  bytes[at] = (bytes[at] ?? 0) ^ 0x04
  return bytes.toString('base64url')
}
const tampered: Record<string, (ceremonies: Ceremonies) => Partial<Ceremonies>> = {
  'another origin': () => ({ origin: 'https://evil.example.com' }),
  'another relying party': () => ({ rpId: 'example.com' }),
  'another challenge': ({ authentication }) => ({ authentication: { ...authentication, challenge: 'AAAA' } }),
  'another signature': ({ authentication: { response, ...rest } }) => ({
    authentication: { ...rest, response: { ...response, signature: flip(response.signature, 12) } },
  }),
  'no user verification': ({ authentication: { response, ...rest } }) => ({
    authentication: { ...rest, response: { ...response, authenticatorData: flip(response.authenticatorData, 32) } },
  }),
}

describe.each([
  ['bound to a device', false],
  ['that may be synced', true],
])('a passkey %s', (_, isSyncable) => {
  const verifiers = { 'python3-fido2': verifyInPython, 'Node crypto': verifyInNode }
  for (const [name, verify] of Object.entries(verifiers)) {
    describe.skipIf(name === 'python3-fido2' && python === undefined)(name, () => {
      test('accepts what the service accepted', async () => {
        expect(verify(await recordCeremonies(isSyncable))).toBe('accepted')
      })

      test.each(Object.keys(tampered))('refuses %s', async (change) => {
        const ceremonies = await recordCeremonies(isSyncable)
        expect(verify({ ...ceremonies, ...tampered[change]?.(ceremonies) })).toMatch(/^refused/)
      })
    })
  }
})
