/** What another service may do. A service route needs one of these. */
export const serviceScopes = ['session:verify', 'key:verify', 'confirmation:create', 'events:read'] as const
export type ServiceScope = (typeof serviceScopes)[number]
