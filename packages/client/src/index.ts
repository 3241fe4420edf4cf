import type { AppRouter } from '@floorpass/api'
import { createTRPCClient, httpBatchLink, TRPCClientError } from '@trpc/client'
import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server'

type Inputs = inferRouterInputs<AppRouter>
type Outputs = inferRouterOutputs<AppRouter>

/** A refused call: the code and sentence of the service's error catalogue. `status` is the HTTP status, `fields` names what to mend. */
export type FloorpassError = { code: string; message: string; status: number; fields: Record<string, string> | null }

export type FloorpassClientOptions = {
  /** Origin of the service, `https://accounts.example.com`. Default: the page's own. */
  baseUrl?: string
  /** Replaces the global fetch, in tests or on a server. */
  fetch?: typeof fetch
}

/**
 * The browser's typed helper. Calls go to /trpc with the session cookie, also from another origin that the service trusts. Each
 * rejects when it was refused: `describeError` tells why.
 */
export function createFloorpassClient({ baseUrl = '', fetch: send = globalThis.fetch }: FloorpassClientOptions = {}) {
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
    /** Every procedure, typed. */
    trpc,
    /** Ends the session of this browser. Also fine when there is none. */
    signOut: (): Promise<Outputs['signIn']['signOut']> => trpc.signIn.signOut.mutate(),
    /** Proves an address with the token from a mail. INVALID_TOKEN, TOKEN_EXPIRED. */
    verifyEmail: (input: Inputs['emailAddress']['verify']): Promise<Outputs['emailAddress']['verify']> =>
      trpc.emailAddress.verify.mutate(input),
    /**
     * Changes name, image, tradingEnabled, riskLevel or locale. UNAUTHORIZED, VALIDATION_ERROR; SESSION_NOT_FRESH when trading is to be
     * switched on or the risk level raised without a recent proof: `trpc.signIn.reauthenticate` takes one.
     */
    updateProfile: (input: Inputs['profile']['update']): Promise<Outputs['profile']['update']> =>
      trpc.profile.update.mutate(input),
    /** Joins with the secret of a mailed invitation, or its id. INVITATION_NOT_FOUND, YOU_ARE_NOT_THE_RECIPIENT_OF_THE_INVITATION. */
    acceptInvitation: (
      input: Inputs['organizations']['acceptInvitation'],
    ): Promise<Outputs['organizations']['acceptInvitation']> => trpc.organizations.acceptInvitation.mutate(input),
    /** Chooses the organization that this browser's calls are about; null for none. ORGANIZATION_NOT_FOUND. */
    setActiveOrganization: (input: Inputs['organizations']['setActive']): Promise<Outputs['organizations']['setActive']> =>
      trpc.organizations.setActive.mutate(input),
  }
}

/** What a rejected call says, or null when it never reached the service (offline, blocked). */
export function describeError(error: unknown): FloorpassError | null {
  if (!(error instanceof TRPCClientError) || !error.data) return null
  const data = error.data as { key: string; httpStatus: number; fields: Record<string, string> | null }
  return { code: data.key, message: error.message, status: data.httpStatus, fields: data.fields }
}
