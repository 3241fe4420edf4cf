import { spawn, spawnSync } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { closeAfterFile } from '@floorpass/testing/close-after-file'
import { approveNew, confirmationAudience, confirmationEnvironment, withdrawal } from '@floorpass/testing/confirmations'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { isInstalled, recipes } from '@floorpass/testing/recipe-process'
import { temporaryFolder } from '@floorpass/testing/server-process'
import { createSoftwareAuthenticator } from '@floorpass/testing/software-authenticator'
import { decodeJwt, type JWTPayload, SignJWT } from 'jose'
import { describe, expect, test } from 'vitest'

const app = await createTestApp(confirmationEnvironment)

/** Serves the public keys, which is all that a verifier gets from us. */
const keyServer = createServer(async (_request, response) => {
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify((await app.browser().get('/auth/jwks')).body))
})
await new Promise<void>((resolve) => keyServer.listen(0, '127.0.0.1', resolve))
closeAfterFile(async () => {
  keyServer.close()
  keyServer.closeAllConnections()
})

/** Debian's Python is not always the first one. */
const python = ['python3', '/usr/bin/python3'].find((name) => spawnSync(name, ['-c', 'import jwt, cryptography']).status === 0)
const classes = await temporaryFolder()
const hasJava = isInstalled('Java 17', 'javac', '-d', classes, `${recipes}VerifyReceipt.java`)
const verifiers: Record<string, { command: string; args: string[]; isThere: boolean }> = {
  Python: { command: python ?? '', args: [`${recipes}verify-receipt.py`], isThere: python !== undefined },
  Java: { command: 'java', args: ['-XX:TieredStopAtLevel=1', '-cp', classes, 'VerifyReceipt'], isThere: hasJava },
}
if (process.env.CI && Object.values(verifiers).some(({ isThere }) => !isThere))
  throw new Error('a verifier cannot run: apt install python3-jwt python3-cryptography openjdk-17-jdk-headless')

/** What the program prints about the receipt. The address of this process serves the keys, so the program must not block it. */
async function verify(name: string, receipt: string, environment: Record<string, string> = {}): Promise<string> {
  const { command, args } = verifiers[name] ?? { command: '', args: [] }
  const { PATH = '', HOME = '/tmp' } = process.env
  const JWKS_URL = `http://127.0.0.1:${(keyServer.address() as AddressInfo).port}`
  const child = spawn(command, args, {
    env: { PATH, HOME, ACCOUNTS_URL: app.baseUrl, AUDIENCE: confirmationAudience, JWKS_URL, ...environment },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk
    })
  }
  child.stdin.end(receipt)
  await new Promise((resolve) => child.once('close', resolve))
  return output.trim()
}

/** What an insider with our signing key can write. */
async function signAgain(receipt: string, change: (claims: Claims) => object, typ = 'confirmation+jwt'): Promise<string> {
  const { id, key } = await app.service.deps.signingKeys.current()
  const claims = decodeJwt(receipt) as Claims
  return new SignJWT({ ...claims, ...change(claims) }).setProtectedHeader({ alg: 'ES256', typ, kid: id }).sign(key)
}
type Claims = JWTPayload & {
  authorization_details: (typeof withdrawal)[]
  nonce: string
  exp: number
  assertion: { publicKey: Record<string, string>; authenticatorData: string; clientDataJSON: string }
}

const withDetail = (change: object) => () => ({ authorization_details: [{ ...withdrawal, ...change }] })
const forgeries: [string, (claims: Claims) => object, string][] = [
  ['one digit of the amount', withDetail({ amount: '2500.01' }), 'the passkey signed another transaction'],
  ['the currency', withDetail({ currency: 'USD' }), 'the passkey signed another transaction'],
  [
    'one digit of the account of the payee',
    withDetail({ payee: { ...withdrawal.payee, iban: 'DE89370400440532013001' } }),
    'the passkey signed another transaction',
  ],
  ['a member that was added', withDetail({ note: 'x' }), 'the passkey signed another transaction'],
  ['the user', () => ({ sub: 'another' }), 'the passkey signed another transaction'],
  ['the session', () => ({ sid: 'another' }), 'the passkey signed another transaction'],
  ['the nonce', ({ nonce }) => ({ nonce: `${nonce}A` }), 'the passkey signed another transaction'],
  ['the expiry', ({ exp }) => ({ exp: exp + 1 }), 'the passkey signed another transaction'],
  ['the hash', () => ({ txn_hash: 'AAAA' }), 'the passkey signed another transaction'],
  ['the audience', () => ({ aud: 'https://evil.example.com' }), '(?:another|Invalid) audience'],
  ['the issuer', () => ({ iss: 'https://evil.example.com' }), '(?:another|Invalid) issuer'],
  ['no assertion', () => ({ assertion: undefined }), 'no passkey approved it'],
  [
    'the flag of user verification',
    ({ assertion }) => {
      const data = Buffer.from(assertion.authenticatorData, 'base64url')
      data[32] = (data[32] ?? 0) & ~0x04
      return { assertion: { ...assertion, authenticatorData: data.toString('base64url') } }
    },
    'the passkey did not verify its user',
  ],
  [
    'the counter of the passkey',
    ({ assertion }) => {
      const data = Buffer.from(assertion.authenticatorData, 'base64url')
      data[36] = (data[36] ?? 0) ^ 0x01
      return { assertion: { ...assertion, authenticatorData: data.toString('base64url') } }
    },
    '(?:wrong signature|InvalidSignature)',
  ],
]

describe.each(Object.keys(verifiers))('a verifier in %s, with none of our code and secrets,', (name) => {
  const { isThere } = verifiers[name] ?? { isThere: false }
  const check = (receipt: string, environment?: Record<string, string>) => verify(name, receipt, environment)

  test.runIf(isThere)('accepts the receipt of a passkey, and pins its key', async () => {
    const { receipt, id, userId } = await approveNew(app)
    const accepted = await check(receipt)
    expect(accepted).toMatch(new RegExp(`^accepted ${id} of ${userId} by [\\w-]{43}$`))
    const key = accepted.split(' ').at(-1) ?? ''
    expect(await check(receipt, { PIN_KEY: key })).toBe(accepted)
    const { receipt: another } = await approveNew(app)
    expect(await check(another, { PIN_KEY: key })).toBe('refused: signed by another passkey than the pinned one')
  })

  test.runIf(isThere).each(['EdDSA', 'RS256'] as const)(
    'accepts the receipt of a passkey whose key is %s, and no other signature',
    async (algorithm) => {
      const authenticator = createSoftwareAuthenticator({ algorithm })
      const { receipt, id } = await approveNew(app, withdrawal, {}, authenticator)
      expect(await check(receipt)).toContain(`accepted ${id}`)
      const { assertion } = decodeJwt(receipt) as Claims
      expect(assertion.publicKey.alg).toBe(algorithm)
      const [, change, reason] = forgeries.at(-1) as (typeof forgeries)[number]
      expect(await check(await signAgain(receipt, change))).toMatch(new RegExp(`^refused: .*${reason}`))
    },
  )

  test.runIf(isThere)('takes a slash after the address, and says when the keys do not answer', async () => {
    const { receipt, id } = await approveNew(app)
    expect(await check(receipt, { ACCOUNTS_URL: `${app.baseUrl}/` })).toContain(`accepted ${id}`)
    const closed = 'http://127.0.0.1:1'
    expect(await check(receipt, { JWKS_URL: closed })).toMatch(new RegExp(`^not verified, because ${closed} does not answer`))
  })

  test.runIf(isThere)('computes the same hash for every kind of text', async () => {
    const detail = {
      type: 'order',
      payee: 'Gräce “G” \\ / \u0001\u007f\u2028 \u{1f642} <&>\n\t',
      'a"b': { '\u{1f642}': 1, '\ufb33': -9007199254740991, é: [null, true, false, {}, [], ''], a: { b: { c: 0 } } },
    }
    const { receipt, id } = await approveNew(app, detail)
    expect(await check(receipt)).toContain(`accepted ${id}`)
  })

  test.runIf(isThere)('refuses a receipt that we signed with something altered', async () => {
    const { receipt } = await approveNew(app)
    for (const [what, change, reason] of forgeries)
      expect([what, await check(await signAgain(receipt, change))]).toEqual([
        what,
        expect.stringMatching(new RegExp(`^refused: .*${reason}`)),
      ])
    expect(await check(await signAgain(receipt, () => ({}), 'at+jwt'))).toBe('refused: not a receipt')
    const [header, claims = '', signature] = receipt.split('.')
    const altered = Buffer.from(Buffer.from(claims, 'base64url').toString().replace('2500.00', '2500.01')).toString('base64url')
    expect(await check(`${header}.${altered}.${signature}`)).toMatch(/^refused: .*ignature/)
  })

  test.runIf(isThere)('refuses a receipt for another page or relying party', async () => {
    const { receipt } = await approveNew(app)
    expect(await check(receipt, { ORIGINS: 'https://evil.example.com' })).toBe('refused: signed on another site')
    expect(await check(receipt, { RP_ID: 'example.com' })).toBe('refused: signed for another relying party')
  })
})
