import { AxeBuilder } from '@axe-core/playwright'
import { expect, type Page } from '@playwright/test'

const widths = [360, 390, 768, 1280, 1440]
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** Nothing that axe finds by WCAG 2.2 AA (targets of 24 px too) and its best practices, and no sideways scroll at any width. */
export async function expectAccessible(page: Page, name: string): Promise<void> {
  const { violations } = await new AxeBuilder({ page })
    .options({ rules: { 'target-size': { enabled: true } } })
    .withTags(tags)
    .analyze()
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`)
  expect.soft(found, name).toEqual([])
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 })
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    expect.soft(overflow, `${name}: sideways scroll at ${width} px`).toBeLessThanOrEqual(0)
  }
}
