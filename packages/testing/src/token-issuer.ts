import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { closeAfterFile } from './close-after-file.ts'

type Answer = { status: number; headers?: Record<string, string>; body: string } | 'never'

/** A loopback server that publishes keys and signs any token, also a wrong one. Closes after the file. */
export async function startTokenIssuer() {
  const keys: { kid: string; privateKey: CryptoKey; jwk: object }[] = []
  const requests: string[] = []
  let answer: Answer | null = null
  const server = createServer((request, response) => {
    requests.push(request.url ?? '')
    if (answer === 'never') return
    const { status, headers, body } = answer ?? { status: 200, body: JSON.stringify({ keys: keys.map(({ jwk }) => jwk) }) }
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  closeAfterFile(async () => {
    server.closeAllConnections()
    server.close()
  })

  const addKey = async (kid: string, alg = 'ES256') => {
    const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
    keys.unshift({ kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } })
  }
  await addKey('first')

  const now = () => Math.floor(Date.now() / 1000)
  const claims = (): JWTPayload => ({
    ...{ iss: url, aud: 'https://orders.example.test', client_id: url, sub: 'user-1', sid: 'session-1', jti: 'token-1' },
    ...{ iat: now(), nbf: now(), exp: now() + 120, auth_time: now() - 60, acr: 'aal1', amr: ['pwd'] },
    ...{ org: 'desk', role: 'admin', scope: 'account:read order:read', trading: false },
  })
  return {
    url,
    /** The paths that were asked. */
    requests,
    addKey,
    /** Answers every request like this. Null: with the keys. */
    answerWith: (next: Answer | null) => {
      answer = next
    },
    /** An undefined claim is left out. */
    sign: ({ header = {}, ...changed }: JWTPayload & { header?: object } = {}) => {
      const { kid = '', privateKey } = keys[0] ?? {}
      if (!privateKey) throw new Error('the issuer has no key')
      return new SignJWT({ ...claims(), ...changed })
        .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid, ...header })
        .sign(privateKey)
    },
    publicJwk: () => keys[0]?.jwk ?? {},
    claims,
  }
}
