import { createTRPCClient, httpBatchLink, type TRPCClient, TRPCClientError } from '@trpc/client'
import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server'
import type { AppRouter } from './router.ts'

export type { FloorpassAuth } from './better-auth.ts'
export type { AppRouter } from './router.ts'

type Inputs = inferRouterInputs<AppRouter>
type Outputs = inferRouterOutputs<AppRouter>

/** An error of the service. `fields` maps each invalid input field to its message. */
export type FloorpassError = { code: string; message: string; status: number; fields: Record<string, string> | null }

export type FloorpassClientOptions = {
  /** The origin of the service, for example `https://accounts.example.com`. Default: the page's origin. */
  baseUrl?: string
  /** Replaces the global fetch, in tests or on a server. */
  fetch?: typeof fetch
}

/** Every method rejects when the service refuses the call or does not answer. `describeError` explains why. */
export type FloorpassClient = {
  /** All procedures of the service, typed. */
  trpc: TRPCClient<AppRouter>
  /** Ends the session of this browser. Succeeds without one. */
  signOut(): Promise<Outputs['signIn']['signOut']>
  /** Verifies an email with the token from its mail. Errors: INVALID_TOKEN, TOKEN_EXPIRED. */
  verifyEmail(input: Inputs['emailAddress']['verify']): Promise<Outputs['emailAddress']['verify']>
  /** Errors: UNAUTHORIZED, VALIDATION_ERROR, SESSION_NOT_FRESH (trading or more risk: call `trpc.signIn.reauthenticate` first). */
  updateProfile(input: Inputs['profile']['update']): Promise<Outputs['profile']['update']>
  /** Takes the secret of an invitation mail, or the id. Errors: INVITATION_NOT_FOUND, YOU_ARE_NOT_THE_RECIPIENT_OF_THE_INVITATION. */
  acceptInvitation(input: Inputs['organizations']['acceptInvitation']): Promise<Outputs['organizations']['acceptInvitation']>
  /** Sets the active organization of this session, or null for none. Errors: ORGANIZATION_NOT_FOUND. */
  setActiveOrganization(input: Inputs['organizations']['setActive']): Promise<Outputs['organizations']['setActive']>
}

/** Creates a typed client for browsers on a trusted origin. It sends the session cookie. */
export function createFloorpassClient({
  baseUrl = '',
  fetch: send = globalThis.fetch,
}: FloorpassClientOptions = {}): FloorpassClient {
  const trpc = createTRPCClient<AppRouter>({
    links: [
      httpBatchLink({
        url: `${baseUrl}/trpc`,
        maxItems: 10,
        fetch: (url, options) => send(url, { ...(options as RequestInit), credentials: 'include' }),
      }),
    ],
  })
  return {
    trpc,
    signOut: () => trpc.signIn.signOut.mutate(),
    verifyEmail: (input) => trpc.emailAddress.verify.mutate(input),
    updateProfile: (input) => trpc.profile.update.mutate(input),
    acceptInvitation: (input) => trpc.organizations.acceptInvitation.mutate(input),
    setActiveOrganization: (input) => trpc.organizations.setActive.mutate(input),
  }
}

/** Explains a rejected call. Returns null when the call never reached the service (offline, blocked). */
export function describeError(error: unknown): FloorpassError | null {
  if (!(error instanceof TRPCClientError) || !error.data) return null
  const data = error.data as { key: string; httpStatus: number; fields: Record<string, string> | null }
  return { code: data.key, message: error.message, status: data.httpStatus, fields: data.fields }
}
