/** The browser imports this file. */
export const providerIds = ['google', 'github'] as const

export type ProviderId = (typeof providerIds)[number]
