import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { signRequest } from '@floorpass/testing/api-keys'
import { query, userId } from '../data.ts'
import {
  atLeast,
  type Bench,
  createContender,
  emptyFindings,
  type Findings,
  hotSessionsFor,
  measureContenders,
  rateRatio,
  startFloorpassFor,
  withServers,
} from '../measure.ts'
import { floorpassSide, get, getSession, type Requests, verifyKey } from '../requests.ts'
import type { Server } from '../servers.ts'

const gatewayKey = randomUUID()
const signers = { Ed25519: generateKeyPairSync('ed25519'), 'P-256': generateKeyPairSync('ec', { namedCurve: 'P-256' }) }
type Curve = keyof typeof signers
const curves = Object.keys(signers) as Curve[]
/** More than a service answers in one round. */
const signedPerRound = 10_000

/** Secrets of API keys beside sessions, and signed requests, each with its nonce. */
export async function apiKeys(bench: Bench): Promise<Findings> {
  const findings = emptyFindings()
  await addSigningKeys(bench.databases.floorpass)
  await withServers([startFloorpassFor(bench, { SERVICE_KEYS: gatewayKey })], async (started) => {
    const server = started as Server
    const hot = hotSessionsFor(bench)
    const keys = hot.map((_, index) => index)
    const bySecret = { ...floorpassSide, name: 'Floorpass, by secret' }
    const measured = await measureContenders(
      bench,
      'verify by API key',
      [
        createContender({ ...floorpassSide, name: 'Floorpass, get-session' }, server, (side, port) =>
          getSession(side, port, hot),
        ),
        createContender(bySecret, server, (_, port) => verifyKey(port, keys)),
      ],
      findings,
    )
    const signed = await measureContenders(
      bench,
      'verify a signed request',
      curves.map((curve) => createContender({ ...floorpassSide, name: curve }, server, (_, port) => signedRequests(curve, port))),
      findings,
      { repeat: false },
    )
    findings.findings.push(
      atLeast('verify by API key / get-session', rateRatio(measured, 'Floorpass, by secret', 'Floorpass, get-session'), 0.7),
      ...curves.map((curve) => ({
        benchmark: `signed requests a second, ${curve}`,
        measured: Math.round(signed.get(curve)?.rate ?? Number.NaN).toLocaleString('en'),
        target: '',
        met: null,
      })),
    )
  })
  return findings
}

const keyIdOf = (curve: Curve): string => `signing-${curve}`

async function addSigningKeys(url: string): Promise<void> {
  for (const curve of curves) {
    const jwk = JSON.stringify(signers[curve].publicKey.export({ format: 'jwk' }))
    await query(
      url,
      `INSERT INTO api_keys (id, user_id, public_key, scopes, updated_at)
       VALUES ('${keyIdOf(curve)}', '${userId(0)}', '${jwk}', ARRAY['order:read'], now())`,
    )
  }
}

function signedRequests(curve: Curve, port: number): Requests {
  const url = 'https://api.example.com/orders?symbol=BTC-EUR'
  const created = Math.floor(Date.now() / 1000)
  const requests = Array.from({ length: signedPerRound }, () => {
    const { headers } = signRequest({
      keyId: keyIdOf(curve),
      privateKey: signers[curve].privateKey,
      method: 'GET',
      url,
      created,
      expires: created + 60,
    })
    return get('/auth/verify?scope=order:read', port, undefined, {
      'X-Service-Key': gatewayKey,
      'X-Original-Method': 'GET',
      'X-Original-URL': url,
      Signature: headers.signature,
      'Signature-Input': headers['signature-input'],
    })
  })
  return { requests, expected: requests.map(() => ({ status: 200, body: `x-auth-key: ${keyIdOf(curve)}\r\n` })) }
}
