/** A server-side caller asks for these on behalf of all its visitors, from one address. */
export const unlimitedPaths: ReadonlySet<string> = new Set([
  '/auth/get-session',
  '/trpc/sessions.get',
  '/auth/verify',
  '/auth/jwks',
])
