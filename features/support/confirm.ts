import { expect, type Locator, type Page } from '@playwright/test'

/** Presses a button that asks, and the button that answers yes. */
export async function confirm(page: Page, button: Locator, yes: string | RegExp): Promise<void> {
  await button.click()
  const question = page.getByRole('dialog')
  await expect(question).toBeVisible()
  await question.getByRole('button', { name: yes, exact: true }).click()
}
