import { checkKey, type Presented } from '../api-key-checks/check-key.ts'
import { toCanonicalAddress } from '../api-key-checks/ip-allowlist.ts'
import { presentKeySettings } from '../api-key-checks/present-api-key.ts'
import { catalogue } from '../kernel/errors.ts'
import { toPermissions } from '../kernel/scopes.ts'
import { serviceProcedure } from '../trpc.ts'
import { verifyApiKeyInput } from './contract.ts'
import { isOnlyConfiguration } from './key-owner.ts'

/** Tells a service what a key may do now, for a bearer secret or a signed request. A refused key is an answer with its reason. TOO_MANY_REQUESTS after too many unknown keys. */
export const verifyApiKey = serviceProcedure('key:verify')
  .input(verifyApiKeyInput)
  .query(async ({ ctx, input: { key, request, permissions = {}, ip = null, configId } }) => {
    const scopes = Object.entries(permissions).flatMap(([resource, actions]) => actions.map((action) => `${resource}:${action}`))
    const presented: Presented = request ? { request: toSignedRequest(request) } : { secret: key ?? '' }
    const gateway = { ...ctx, gateway: ctx.service.name }
    const caller = { scopes, ip: ip === null ? null : toCanonicalAddress(ip) }
    const checked = isOnlyConfiguration(configId)
      ? await checkKey(gateway, presented, caller)
      : { code: 'INVALID_API_KEY' as const }
    if ('code' in checked) {
      const { code, retryAfter } = checked
      const details = retryAfter === undefined ? {} : { details: { tryAgainIn: retryAfter * 1000 } }
      return { valid: false as const, error: { code, message: catalogue[code][1], ...details }, key: null }
    }
    const { found, method } = checked
    const { organizationId, userId } = found.key
    return {
      valid: true as const,
      error: null,
      key: {
        ...presentKeySettings(found.key),
        userId,
        organizationId,
        role: organizationId === null ? null : (found.memberships[organizationId]?.role ?? null),
        permissions: toPermissions(checked.scopes),
        method,
      },
    }
  })

type GivenRequest = NonNullable<(typeof verifyApiKeyInput)['_output']['request']>

const toSignedRequest = ({ method, url, headers, body }: GivenRequest) => ({
  method,
  url,
  signature: headers.signature,
  signatureInput: headers['signature-input'],
  contentDigest: headers['content-digest'] ?? null,
  body: body === undefined ? null : Buffer.from(body, 'base64'),
})
