import type { Page } from '@playwright/test'

type AuthenticatorOptions = {
  /** False for a device that cannot check who uses it: no PIN, no fingerprint. */
  verifiesUser?: boolean
}

/** An authenticator of Chromium, with what a person does on it. */
export type VirtualAuthenticator = {
  countPasskeys(): Promise<number>
  /** The next ceremonies succeed, or wait for the person. */
  setPresent(isPresent: boolean): Promise<void>
  /** Whether the person passes the PIN or fingerprint check. */
  setVerified(isVerified: boolean): Promise<void>
  remove(): Promise<void>
}

/** Plugs an authenticator into the browser of this page. Every ceremony uses it at once, as if the person had pressed "Continue". */
export async function addVirtualAuthenticator(
  page: Page,
  { verifiesUser = true }: AuthenticatorOptions = {},
): Promise<VirtualAuthenticator> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: verifiesUser,
      isUserVerified: verifiesUser,
      automaticPresenceSimulation: true,
    },
  })
  return {
    countPasskeys: async () => (await devtools.send('WebAuthn.getCredentials', { authenticatorId })).credentials.length,
    setPresent: async (enabled) => {
      await devtools.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled })
    },
    setVerified: async (isUserVerified) => {
      await devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified })
    },
    remove: async () => {
      await devtools.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId })
    },
  }
}
