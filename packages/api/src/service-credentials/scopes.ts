/** What another service may do. A service route needs one of these. */
export const serviceScopes = [
  'session:verify',
  'key:verify',
  'confirmation:create',
  'confirmation:consume',
  'events:read',
  'allow-list:check',
] as const
export type ServiceScope = (typeof serviceScopes)[number]
