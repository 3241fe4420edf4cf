// A backend for programs that sign their requests with an API key (RFC 9421). It verifies signatures by itself, and asks Floorpass
// about each key and address every ten seconds. One process: several must share the nonces. npm install http-message-signatures, then:
// ACCOUNTS_URL=https://accounts.example.com SERVICE_KEY=… BASE_URL=https://api.example.com node key-verifier.mjs
import { createHash, createPublicKey, verify } from 'node:crypto'
import { createServer } from 'node:http'
import { httpbis } from 'http-message-signatures'

const { ACCOUNTS_URL, SERVICE_KEY, BASE_URL, PORT = '8080' } = process.env
if (!ACCOUNTS_URL || !SERVICE_KEY || !BASE_URL) throw new Error('Set ACCOUNTS_URL, SERVICE_KEY and BASE_URL.')
/** How long a deleted key may still pass, in milliseconds. */
const trust = 10_000
/** Seconds. */
const longestWindow = 60
const leeway = 5
const largestBody = 1_000_000

const routes = { 'GET /orders': ['order', 'read'], 'POST /orders': ['order', 'place'] }

const server = createServer(async (request, response) => {
  const answer = (status, body) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body))
  }
  const [resource, action] = routes[`${request.method} ${request.url.split('?')[0]}`] ?? []
  if (!resource) return answer(404, { code: 'NOT_FOUND' })
  try {
    const { key, code } = await findKey(request, await readBody(request))
    if (!key) return answer(401, { code })
    if (!key.permissions[resource]?.includes(action)) return answer(403, { code: 'INSUFFICIENT_SCOPE' })
    answer(200, { user: key.userId, org: key.organizationId, key: key.id })
  } catch {
    answer(503, { code: 'SERVICE_UNAVAILABLE' })
  }
})
const known = new Map()
const nonces = new Map()
setInterval(forget, 1_000).unref()
// A signature of before the start may have been used: none of them counts, and a clock may be five seconds ahead.
const started = Math.ceil(Date.now() / 1000) + leeway
setTimeout(() => server.listen(Number(PORT), '127.0.0.1'), started * 1000 - Date.now())

async function findKey({ method, url, headers, rawHeaders, socket }, body) {
  const invalid = { code: 'SIGNATURE_INVALID' }
  const message = { method, url: new URL(url, BASE_URL), headers }
  const signature = body !== null && !isRepeated(rawHeaders) && readSignature(headers, body)
  if (!signature) return invalid
  const nonce = `${signature.keyid} ${signature.nonce}`
  if (nonces.has(nonce)) return { code: 'REPLAYED' }
  const ip = socket.remoteAddress
  const place = `${signature.keyid} ${ip}`
  const entry = known.get(place)
  const isFresh = entry !== undefined && entry.until > Date.now()
  if (isFresh && !(await isSigned(message, entry.key.publicKey, signature.alg))) return invalid
  // While the check waited, another request may have brought the same nonce.
  if (nonces.has(nonce)) return { code: 'REPLAYED' }
  nonces.set(nonce, signature.expires * 1000)
  if (isFresh) return entry
  // Floorpass checks the signature itself, and knows what the key may do from this address.
  const request = {
    method,
    url: message.url.href,
    headers: pick(headers),
    ...(body.length > 0 && { body: body.toString('base64') }),
  }
  const { key, error } = await ask({ request, ip })
  if (!key) return { code: error.code }
  known.set(place, { key, until: Date.now() + trust })
  return { key }
}

/** The parameters of the one signature, or null. The profile of Floorpass, with the time. */
function readSignature({ signature, 'signature-input': input, 'content-digest': digest }, body) {
  const covered = ['"@method"', '"@target-uri"', ...(digest === undefined ? [] : ['"content-digest"'])]
  const [, label, fields, rest] = /^([a-z][a-z0-9]*)=\(([^()]*)\)((?:;[a-z]+=(?:\d+|"[^"]*"))*)$/.exec(input) ?? []
  if (!label || fields.split(' ').toSorted().join() !== covered.toSorted().join()) return null
  if (!new RegExp(`^${label}=:[A-Za-z0-9+/=]+:$`).test(signature)) return null
  const sha256 = createHash('sha256').update(body).digest('base64')
  if (digest === undefined ? body.length > 0 : digest !== `sha-256=:${sha256}:`) return null

  const pairs = [...rest.matchAll(/;([a-z]+)=(?:"([^"]*)"|(\d+))/g)]
  const parameters = Object.fromEntries(pairs.map(([, name, text, number]) => [name, text ?? Number(number)]))
  const { keyid, nonce, created, expires = created + 5, alg } = parameters
  const now = Date.now() / 1000
  const isInWindow =
    created <= now + leeway && created >= started && now < expires && expires > created && expires - created <= longestWindow
  const isWhole = pairs.length === Object.keys(parameters).length && keyid && nonce?.length >= 8 && nonce.length <= 64
  return isInWindow && isWhole ? { keyid, nonce, expires, alg } : null
}

async function isSigned(message, jwk, alg) {
  const isEd25519 = jwk.crv === 'Ed25519'
  if (alg !== undefined && alg !== (isEd25519 ? 'ed25519' : 'ecdsa-p256-sha256')) return false
  const key = createPublicKey({ key: jwk, format: 'jwk' })
  const check = async (base, bytes) =>
    isEd25519 ? verify(null, base, key, bytes) : verify('sha256', base, { key, dsaEncoding: 'ieee-p1363' }, bytes)
  return httpbis.verifyMessage({ keyLookup: async () => ({ verify: check }), tolerance: leeway }, message).catch(() => false)
}

async function ask(question) {
  const response = await fetch(`${ACCOUNTS_URL}/auth/api-key/verify`, {
    method: 'POST',
    headers: { authorization: `Bearer ${SERVICE_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify(question),
    signal: AbortSignal.timeout(3_000),
  })
  if (!response.ok) throw new Error(`Floorpass answered ${response.status}`)
  return response.json()
}

const names = ['signature', 'signature-input', 'content-digest']
const pick = (headers) =>
  Object.fromEntries(names.filter((name) => headers[name] !== undefined).map((name) => [name, headers[name]]))

/** Two headers of one name are joined differently by different readers. */
const isRepeated = (raw) => names.some((name) => raw.filter((text, at) => at % 2 === 0 && text.toLowerCase() === name).length > 1)

/** Null for a body that is too large. */
async function readBody(request) {
  const chunks = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size <= largestBody) chunks.push(chunk)
  }
  return size <= largestBody ? Buffer.concat(chunks) : null
}

function forget() {
  const now = Date.now()
  for (const [nonce, end] of nonces) if (end <= now) nonces.delete(nonce)
  for (const [place, { until }] of known) if (until <= now) known.delete(place)
}
