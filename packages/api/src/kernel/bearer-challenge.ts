/** The value of a WWW-Authenticate header (RFC 6750 3). The parameters contain no quotes. */
export const bearerChallenge = (parameters: Record<string, string> = {}): string =>
  `Bearer ${Object.entries(parameters)
    .map(([name, value]) => `${name}="${value}"`)
    .join(', ')}`.trim()
