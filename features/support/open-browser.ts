import { type BrowserContext, type BrowserContextOptions, test as base, type Page } from '@playwright/test'

/** Opens a tab in a separate browser, which closes when the test ends. */
export type OpenBrowser = (options?: BrowserContextOptions) => Promise<Page>

export const test = base.extend<{ openBrowser: OpenBrowser }>({
  openBrowser: async ({ browser }, use) => {
    const contexts: BrowserContext[] = []
    await use(async (options) => {
      const context = await browser.newContext(options)
      contexts.push(context)
      return context.newPage()
    })
    await Promise.all(contexts.map((context) => context.close()))
  },
})
