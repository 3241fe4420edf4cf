import { createHmac, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

type Claims = Record<string, unknown>

/** An OpenID provider whose answers the test forges. */
export type ForgingProvider = {
  issuer: string
  clientId: string
  environment: { GOOGLE_CLIENT_ID: string; GOOGLE_CLIENT_SECRET: string; GOOGLE_ISSUER: string }
  /** The form of every token request. */
  exchanges: URLSearchParams[]
  /** Every requested path. */
  paths: string[]
  /** The handler of the token endpoint. */
  exchange: (response: ServerResponse) => void
  /** The handler of the discovery document; null sends a valid one. */
  discovery: ((response: ServerResponse) => void) | null
  /** The handler of the key set; null sends a valid one. */
  keys: ((response: ServerResponse) => void) | null
  /** Answers every token request with this ID token. */
  answerWith(idToken: string): void
  /** Valid claims of a user. */
  claims(nonce: string, overrides?: Claims): Claims
  signed(claims: Claims): string
  /** `unsigned` uses `alg: none`; `signedWithPublicKey` uses HS256 with the public key as the secret. */
  unsigned(claims: Claims): string
  signedWithPublicKey(claims: Claims): string
  /** Signs with a new key from now on, and publishes only that key. */
  rotateKey(): void
  close(): Promise<void>
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const reply = (response: ServerResponse, body: unknown, status = 200) =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

export async function startForgingProvider(): Promise<ForgingProvider> {
  const newKey = () => ({ id: randomUUID(), ...generateKeyPairSync('rsa', { modulusLength: 2048 }) })
  let key: { id: string; publicKey: KeyObject; privateKey: KeyObject } = newKey()
  const server = createServer(async (request, response) => {
    const path = request.url ?? ''
    provider.paths.push(path)
    if (path === '/.well-known/openid-configuration') {
      if (provider.discovery) return provider.discovery(response)
      return reply(response, {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
      })
    }
    if (path === '/keys' && provider.keys) return provider.keys(response)
    if (path === '/keys')
      return reply(response, { keys: [{ ...key.publicKey.export({ format: 'jwk' }), kid: key.id, alg: 'RS256', use: 'sig' }] })
    provider.exchanges.push(new URLSearchParams(await text(request)))
    provider.exchange(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const clientId = 'floorpass-forged'

  const provider: ForgingProvider = {
    issuer,
    clientId,
    environment: { GOOGLE_CLIENT_ID: clientId, GOOGLE_CLIENT_SECRET: 'a secret of tests', GOOGLE_ISSUER: issuer },
    exchanges: [],
    paths: [],
    exchange: (response) => reply(response, {}, 500),
    discovery: null,
    keys: null,
    answerWith(idToken) {
      provider.exchange = (response) =>
        reply(response, { access_token: 'an access token', token_type: 'Bearer', expires_in: 3600, id_token: idToken })
    },
    claims(nonce, overrides = {}) {
      const now = Math.floor(Date.now() / 1000)
      const sub = randomUUID()
      const person = { sub, email: `${sub}@example.test`, email_verified: true, name: 'Forged' }
      return { iss: issuer, aud: clientId, iat: now, exp: now + 3600, nonce, ...person, ...overrides }
    },
    signed(claims) {
      const content = `${encode({ alg: 'RS256', kid: key.id })}.${encode(claims)}`
      return `${content}.${sign('sha256', Buffer.from(content), key.privateKey).toString('base64url')}`
    },
    unsigned: (claims) => `${encode({ alg: 'none' })}.${encode(claims)}.`,
    signedWithPublicKey(claims) {
      const content = `${encode({ alg: 'HS256', kid: key.id })}.${encode(claims)}`
      const secret = key.publicKey.export({ format: 'pem', type: 'spki' })
      return `${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`
    },
    rotateKey() {
      key = newKey()
    },
    close: () => new Promise((resolve) => server.close(() => resolve()).closeAllConnections()),
  }
  return provider
}
