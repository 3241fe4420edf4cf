import { randomUUID } from 'node:crypto'
import { ask, outboxOf, signedInPerson } from '@floorpass/reliability'
import { createSigner, signRequest, toPem } from '@floorpass/testing/api-keys'
import { recipes, startRecipe } from '@floorpass/testing/recipe-process'
import { serviceKey } from '@floorpass/testing/route-samples'
import { databaseEnvironment, startServer, temporaryFolder } from '@floorpass/testing/server-process'
import { beforeAll, expect, test } from 'vitest'

const dataDir = await temporaryFolder()
const service = await startServer({
  ...(await databaseEnvironment()),
  DATA_DIR: dataDir,
  RATE_LIMIT: 'off',
  SERVICE_KEYS: serviceKey,
})
const target = { url: service.url, origin: `http://localhost:${service.port}` }
const { cookie } = await signedInPerson(target, outboxOf(dataDir))
const post = async (path: string, body: object) => (await ask(target, 'POST', path, { body, cookie })).body as { id: string }
const baseUrl = 'https://api.example.com'
const launched = Math.floor(Date.now() / 1000)
const verifier = await startRecipe((port) => ({
  command: process.execPath,
  args: [`${recipes}key-verifier.mjs`],
  environment: { PORT: String(port), ACCOUNTS_URL: service.url, SERVICE_KEY: serviceKey, BASE_URL: baseUrl },
}))

const body = '{"side":"buy"}'
const now = () => Math.floor(Date.now() / 1000)
type Signer = Awaited<ReturnType<typeof createKey>>
type Signed = ReturnType<typeof signRequest>

async function createKey(type: 'Ed25519' | 'P-256' = 'Ed25519', permissions = { order: ['read', 'place'] }) {
  const { publicKey, privateKey } = createSigner(type)
  const { id } = await post('/auth/api-key/create', { publicKey: toPem(publicKey), permissions })
  return { keyId: id, privateKey }
}

const sign = (signer: Signer, fields: Partial<Parameters<typeof signRequest>[0]> = {}): Signed =>
  signRequest({ ...signer, url: `${baseUrl}/orders`, body, ...fields })
const signRead = (signer: Signer, method = 'GET'): Signed => signRequest({ ...signer, url: `${baseUrl}/orders`, method })

async function send({ method, url, headers, body: sent }: Signed): Promise<string | Record<string, unknown>> {
  const response = await fetch(url.replace(baseUrl, verifier.url), {
    method,
    headers: headers as Record<string, string>,
    ...(sent !== undefined && { body: Buffer.from(sent, 'base64') }),
  })
  const answer = (await response.json()) as Record<string, unknown>
  return response.status === 200 ? answer : `${response.status} ${answer.code}`
}

/** Trading is off until the person switches it on. */
beforeAll(() => post('/auth/update-user', { tradingEnabled: true }))

test.each(['Ed25519', 'P-256'] as const)('a request signed by %s passes, asked about or not', async (type) => {
  const signer = await createKey(type)
  const caller = { key: signer.keyId, org: null }
  expect(await send(sign(signer))).toMatchObject(caller)
  expect(await send(sign(signer))).toMatchObject(caller)
  expect(await send(signRead(signer))).toMatchObject(caller)
})

const withInput = (request: Signed, change: (input: string) => string): Signed => ({
  ...request,
  headers: { ...request.headers, 'signature-input': change(request.headers['signature-input']) },
})
const changes: Record<string, (signer: Signer) => Signed> = {
  'of another method': (signer) => ({ ...signRead(signer, 'POST'), method: 'GET' }),
  'of another query': (signer) => ({ ...sign(signer), url: `${baseUrl}/orders?size=9` }),
  'of another host': (signer) => ({ ...sign(signer, { url: 'https://apj.example.com/orders' }), url: `${baseUrl}/orders` }),
  'with another body': (signer) => ({ ...sign(signer), body: Buffer.from('{"side":"buz"}').toString('base64') }),
  'with an uncovered body': (signer) => ({ ...signRead(signer, 'POST'), body: Buffer.from(body).toString('base64') }),
  'with a longer life': (signer) =>
    withInput(sign(signer), (input) => input.replace(/expires=(\d+)/, (_, end) => `expires=${Number(end) + 1}`)),
  'with another nonce': (signer) => withInput(sign(signer), (input) => input.replace(/nonce="[^"]+"/, `nonce="${randomUUID()}"`)),
  'with fewer parts': (signer) => withInput(sign(signer), (input) => input.replace('"@target-uri" ', '')),
  'by the key of another': (signer) => sign({ ...signer, privateKey: createSigner().privateKey }),
  'with the name of another algorithm': (signer) => sign(signer, { alg: 'ecdsa-p256-sha256' }),
  'for longer than a minute': (signer) => sign(signer, { created: now(), expires: now() + 61 }),
  'that has ended': (signer) => sign(signer, { created: now() - 5, expires: now() }),
  'of the future': (signer) => sign(signer, { created: now() + 8, expires: now() + 12 }),
  'before the verifier started': (signer) => sign(signer, { created: launched, expires: launched + 60 }),
}

test.each(Object.entries(changes))('a signature %s is refused, asked about or not', async (_, change) => {
  const signer = await createKey()
  expect(await send(change(signer))).toBe('401 SIGNATURE_INVALID')
  expect(await send(sign(signer))).toMatchObject({ key: signer.keyId })
  expect(await send(change(signer))).toBe('401 SIGNATURE_INVALID')
})

test('a request passes once, also when it was the first or comes twenty times at once', async () => {
  const signer = await createKey()
  const first = sign(signer)
  expect(await send(first)).toMatchObject({ key: signer.keyId })
  expect(await send(first)).toBe('401 REPLAYED')
  const other = sign(signer)
  const answers = await Promise.all(Array.from({ length: 20 }, () => send(other)))
  expect(answers.filter((answer) => answer === '401 REPLAYED')).toHaveLength(19)
  expect(answers).toContainEqual(expect.objectContaining({ key: signer.keyId }))
})

test('a key without the permission is refused, and so is a deleted one after ten seconds', async () => {
  const signer = await createKey('Ed25519', { order: ['read'] })
  expect(await send(sign(signer))).toBe('403 INSUFFICIENT_SCOPE')
  expect(await send(signRead(signer))).toMatchObject({ key: signer.keyId })
  await post('/auth/api-key/delete', { keyId: signer.keyId })
  const answer = () => send(signRead(signer))
  await expect.poll(answer, { timeout: 11_000, interval: 500 }).toBe('401 INVALID_API_KEY')
})

test('no request passes while the service is away', async () => {
  const signer = await createKey()
  await service.end('SIGKILL')
  expect(await send(sign(signer))).toBe('503 SERVICE_UNAVAILABLE')
})
