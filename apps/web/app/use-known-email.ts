import { useLocation } from '@remix-run/react'

/** The email that the person typed on the page before, if JavaScript ran there. */
export const useKnownEmail = (): string => (useLocation().state as { email?: string } | null)?.email ?? ''
