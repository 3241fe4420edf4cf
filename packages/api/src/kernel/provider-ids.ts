/** The social providers that can be configured. Browser-safe. */
export const providerIds = ['google', 'github'] as const

export type ProviderId = (typeof providerIds)[number]
