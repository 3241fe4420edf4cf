// A backend that believes access tokens. npm install jose, then:
// ACCOUNTS_URL=https://accounts.example.com AUDIENCE=https://api.example.com node verifier.mjs
import { createServer } from 'node:http'
import { createRemoteJWKSet, errors, jwtVerify } from 'jose'

const { ACCOUNTS_URL, AUDIENCE, PORT = '8080' } = process.env
// Without an audience, jose checks none.
if (!ACCOUNTS_URL || !AUDIENCE) throw new Error('Set ACCOUNTS_URL and AUDIENCE.')
const keys = createRemoteJWKSet(new URL('/auth/jwks', ACCOUNTS_URL), {
  cacheMaxAge: 300_000,
  cooldownDuration: 30_000,
  timeoutDuration: 3_000,
})

const routes = {
  'GET /orders': { scope: 'order:read' },
  'POST /orders': { scope: 'order:place', maxAge: 3600 },
  'GET /withdrawals': { scope: 'withdrawal:read', acr: 'aal2' },
  'POST /withdrawals': { scope: 'withdrawal:create', acr: 'aal2', maxAge: 300 },
}

createServer(async (request, response) => {
  const answer = (status, body, challenge) => {
    response.writeHead(status, { 'content-type': 'application/json', ...(challenge && { 'www-authenticate': challenge }) })
    response.end(JSON.stringify(body))
  }
  const required = routes[`${request.method} ${request.url.split('?')[0]}`]
  if (!required) return answer(404, { code: 'NOT_FOUND' })
  const token = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
  if (!token) return answer(401, { code: 'UNAUTHORIZED' }, 'Bearer')
  try {
    const { payload } = await jwtVerify(token, keys, {
      algorithms: ['ES256'],
      typ: 'at+jwt',
      issuer: ACCOUNTS_URL,
      audience: AUDIENCE,
      requiredClaims: ['sub', 'exp', 'auth_time', 'acr', 'scope'],
      clockTolerance: 5,
    })
    const refusal = findRefusal(payload, required)
    if (refusal) return answer(...refusal)
    answer(200, { user: payload.sub, org: payload.org ?? null, role: payload.role ?? null })
  } catch (error) {
    if (isAboutToken(error)) answer(401, { code: 'UNAUTHORIZED' }, 'Bearer error="invalid_token"')
    else answer(503, { code: 'SERVICE_UNAVAILABLE' })
  }
}).listen(Number(PORT), '127.0.0.1')

/** RFC 9470: the challenge says what the person must prove. */
function findRefusal(claims, { scope, acr, maxAge }) {
  if (!claims.scope.split(' ').includes(scope))
    return [403, { code: 'INSUFFICIENT_SCOPE' }, `Bearer error="insufficient_scope", scope="${scope}"`]
  const isStrong = acr === undefined || claims.acr >= acr
  const age = Date.now() / 1000 - claims.auth_time
  // A proof more than a minute in the future counts as too old: the clock was set back.
  if (isStrong && (maxAge === undefined || (age <= maxAge && age >= -60))) return null
  const wanted = `acr_values="${isStrong ? claims.acr : acr}"${maxAge === undefined ? '' : `, max_age="${maxAge}"`}`
  const challenge = `Bearer error="insufficient_user_authentication", ${wanted}`
  return [401, { code: 'INSUFFICIENT_USER_AUTHENTICATION' }, challenge]
}

/** Not when the keys cannot be fetched: then the token may be good. */
function isAboutToken(error) {
  const unavailable = ['ERR_JOSE_GENERIC', 'ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID']
  return error instanceof errors.JOSEError && !unavailable.includes(error.code)
}
