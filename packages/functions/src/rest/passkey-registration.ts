import type { Api } from '@floorpass/api'

/** GET /auth/passkey/generate-register-options: `context`, the token of an emailed link, stands for a session. */
export const startPasskeyRegistration = (api: Api, query: Options): Promise<unknown> =>
  query.context === undefined
    ? api.passkeys.startRegistration(query)
    : api.passkeys.startRegistrationByLink({ ...query, context: query.context })

/** POST /auth/passkey/verify-registration: `createSession` says that the challenge came from a link. */
export const verifyPasskeyRegistration = (api: Api, body: Body): Promise<unknown> =>
  isByLink(body) ? api.passkeys.registerByLink(body) : api.passkeys.register(body)

type Options = Partial<Parameters<Api['passkeys']['startRegistrationByLink']>[0]>

type Body = Parameters<Api['passkeys']['register']>[0]

// The procedures validate the body: here it may be any JSON value.
const isByLink = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'createSession' in body && body.createSession === true
