import { spawnSync } from 'node:child_process'
import { createHash, type KeyObject, sign } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { askAboutKey, createApiKey, createSigner, toPem } from '@floorpass/testing/api-keys'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { serviceKey } from '@floorpass/testing/route-samples'
import { temporaryFolder } from '@floorpass/testing/server-process'
import { httpbis } from 'http-message-signatures'
import { describe, expect, test } from 'vitest'

const app = await createTestApp({ SERVICE_KEYS: serviceKey })
const fileOf = (name: string) => fileURLToPath(new URL(name, import.meta.url))
/** Debian's Python is not always the first one. */
const python = ['python3', '/usr/bin/python3'].find((name) => spawnSync(name, ['-c', 'import cryptography']).status === 0)
if (python === undefined && process.env.CI) throw new Error('python3-cryptography is missing: apt install python3-cryptography')

const method = 'POST'
const url = 'https://api.example.com/orders?symbol=BTC-EUR'
const body = '{"side":"buy","size":"0.1"}'
type Headers = Record<string, string>
type Signer = (keyId: string, privateKey: KeyObject) => Promise<Headers>

const toPkcs8 = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString()

const signInPython: Signer = async (keyId, privateKey) => {
  const input = JSON.stringify({ key: toPkcs8(privateKey), keyId, method, url, body })
  const { stdout, stderr } = spawnSync(python ?? '', [fileOf('sign_request.py')], { input, encoding: 'utf8' })
  expect(stderr).toBe('')
  return JSON.parse(stdout)
}

const signWithOpenssl: Signer = async (keyId, privateKey) => {
  const file = join(await temporaryFolder(), 'key.pem')
  await writeFile(file, toPkcs8(privateKey), { mode: 0o600 })
  const { stdout, stderr } = spawnSync('sh', [fileOf('sign-request.sh'), file, keyId, method, url, body], { encoding: 'utf8' })
  expect(stderr).toBe('')
  return Object.fromEntries(
    stdout
      .trim()
      .split('\n')
      .map((line) => line.split(/: (.*)/s)),
  )
}

/** The library of another author. */
const signWithLibrary: Signer = async (keyId, privateKey) => {
  const digest = `sha-256=:${createHash('sha256').update(body).digest('base64')}:`
  const isEd25519 = privateKey.asymmetricKeyType === 'ed25519'
  const signed = await httpbis.signMessage(
    {
      key: {
        id: keyId,
        alg: isEd25519 ? 'ed25519' : 'ecdsa-p256-sha256',
        sign: async (base) =>
          isEd25519 ? sign(null, base, privateKey) : sign('sha256', base, { key: privateKey, dsaEncoding: 'ieee-p1363' }),
      },
      fields: ['@method', '@target-uri', 'content-digest'],
      params: ['created', 'expires', 'nonce', 'keyid', 'alg'],
      paramValues: { nonce: crypto.randomUUID(), expires: new Date(Date.now() + 5_000) },
    },
    { method, url, headers: { 'content-digest': digest } },
  )
  return Object.fromEntries(Object.entries(signed.headers).map(([name, value]) => [name.toLowerCase(), String(value)]))
}

describe('a request that is signed', () => {
  test.runIf(python).each(['Ed25519', 'P-256'] as const)('in Python by %s is accepted', (type) =>
    expectAccepted(signInPython, type),
  )

  test('with OpenSSL is accepted', () => expectAccepted(signWithOpenssl, 'Ed25519'))

  test.each(['Ed25519', 'P-256'] as const)('with the library http-message-signatures by %s is accepted', (type) =>
    expectAccepted(signWithLibrary, type),
  )

  async function expectAccepted(signer: Signer, type: 'Ed25519' | 'P-256') {
    const { publicKey, privateKey } = createSigner(type)
    const { id } = await createApiKey(await app.signedIn(), { publicKey: toPem(publicKey) })
    const { 'content-digest': digest, signature, 'signature-input': input } = await signer(id, privateKey)
    const request = {
      method,
      url,
      headers: { signature, 'signature-input': input, 'content-digest': digest },
      body: Buffer.from(body).toString('base64'),
    }
    const service = app.browser({ origin: null })
    expect(await askAboutKey(service, { request })).toMatchObject({ valid: true, key: { id, method: 'signature' } })
    const altered = { ...request, body: Buffer.from(body.replace('0.1', '0.2')).toString('base64') }
    expect(await askAboutKey(service, { request: altered })).toMatchObject({ error: { code: 'SIGNATURE_INVALID' } })
  }
})
