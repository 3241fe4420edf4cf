import type { Answer, Browser } from './browser.ts'
import type { TestApp } from './create-test-app.ts'
import { addPasskey } from './passkeys.ts'
import { createSoftwareAuthenticator, type SoftwareAuthenticator } from './software-authenticator.ts'

export const wallet = { kind: 'bitcoin', value: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq' }

export const addAddress = (tab: Pick<Browser, 'post'>, fields: Record<string, unknown> = {}): Promise<Answer> =>
  tab.post('/auth/allow-list/add', { ...wallet, ...fields })

export const setAllowList = (
  tab: Pick<Browser, 'post'>,
  enabled: boolean,
  fields: Record<string, unknown> = {},
): Promise<Answer> => tab.post('/auth/allow-list/set-enabled', { enabled, ...fields })

/** Gives the user a passkey that was added so many seconds ago. */
export async function addPasskeyOfAge(
  app: TestApp,
  tab: Browser & { userId: string },
  seconds: number,
): Promise<SoftwareAuthenticator> {
  const authenticator = createSoftwareAuthenticator()
  await addPasskey(tab, authenticator)
  await app.db.passkey.updateMany({
    where: { credentialId: authenticator.credentials.at(-1)?.id ?? '' },
    data: { createdAt: new Date(Date.now() - seconds * 1000) },
  })
  return authenticator
}
