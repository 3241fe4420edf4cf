import { wallet } from './allow-list.ts'
import type { Answer } from './browser.ts'
import type { TestApp } from './create-test-app.ts'
import { serviceKey } from './route-samples.ts'

/** What a service with a key of SERVICE_KEYS learns. */
export const checkAddress = (app: TestApp, input: Record<string, unknown>): Promise<Answer> =>
  app
    .browser({ origin: null })
    .post('/auth/allow-list/check', { ...wallet, ...input }, { headers: { authorization: `Bearer ${serviceKey}` } })
