import { checkKey, type Presented } from '../api-key-checks/check-key.ts'
import type { SigningJwk } from '../api-key-checks/public-key.ts'
import { catalogue } from '../kernel/errors.ts'
import { toPermissions } from '../kernel/scopes.ts'
import { serviceProcedure } from '../trpc.ts'
import { verifyApiKeyInput } from './contract.ts'

/** Tells a service what a key may do now, for a bearer secret or a signed request. Always answers; a refusal says why. */
export const verifyApiKey = serviceProcedure('key:verify')
  .input(verifyApiKeyInput)
  .query(async ({ ctx, input: { key, request, permissions = {}, ip = null, configId } }) => {
    const scopes = Object.entries(permissions).flatMap(([resource, actions]) => actions.map((action) => `${resource}:${action}`))
    const presented: Presented = request ? { request: toSignedRequest(request) } : { secret: key ?? '' }
    const gateway = { ...ctx, gateway: ctx.service.name }
    const checked =
      configId === undefined || configId === 'default'
        ? await checkKey(gateway, presented, { scopes, ip })
        : { code: 'INVALID_API_KEY' as const }
    if ('code' in checked) {
      const { code, retryAfter } = checked
      const details = retryAfter === undefined ? {} : { details: { tryAgainIn: retryAfter * 1000 } }
      return { valid: false as const, error: { code, message: catalogue[code][1], ...details }, key: null }
    }
    const { found, method } = checked
    const { id, name, organizationId, userId, publicKey, expiresAt } = found.key
    return {
      valid: true as const,
      error: null,
      key: {
        id,
        name,
        referenceId: organizationId ?? userId,
        userId,
        organizationId,
        role: organizationId === null ? null : (found.roles[organizationId] ?? null),
        permissions: toPermissions(checked.scopes),
        publicKey: publicKey as SigningJwk | null,
        expiresAt,
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
