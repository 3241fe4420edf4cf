import { AxeBuilder } from '@axe-core/playwright'
import { expect, type Page } from '@playwright/test'

const widths = [360, 390, 768, 1280, 1440]
const sideways = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)

/** Buttons and fields that show only a background, which forced colours take away. */
const withoutLine = (page: Page) =>
  page
    .locator('button:visible, input:not([type=checkbox], [type=radio], [type=file]):visible, select:visible, textarea:visible')
    .evaluateAll((controls) =>
      controls
        .filter((control) => {
          const { borderTopWidth, borderTopStyle, textDecorationLine, position, clipPath } = getComputedStyle(control)
          const isUnseen = position === 'absolute' && clipPath !== 'none'
          return !isUnseen && (borderTopWidth === '0px' || borderTopStyle === 'none') && textDecorationLine === 'none'
        })
        .map((control) => control.outerHTML.slice(0, 160)),
    )
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/**
 * Nothing that axe finds by WCAG 2.2 AA (targets of 24 px too) and its best practices; no sideways scroll at any width, nor
 * with text of twice the size; and with forced colours every control still has a line.
 */
export async function expectAccessible(page: Page, name: string): Promise<void> {
  await expectNothingFound(new AxeBuilder({ page }).options({ rules: { 'target-size': { enabled: true } } }).withTags(tags), name)
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 })
    expect.soft(await sideways(page), `${name}: sideways scroll at ${width} px`).toBeLessThanOrEqual(0)
  }
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.evaluate(() => document.documentElement.style.setProperty('font-size', '200%'))
  expect.soft(await sideways(page), `${name}: sideways scroll with text of twice the size`).toBeLessThanOrEqual(0)
  await page.evaluate(() => document.documentElement.style.removeProperty('font-size'))
  await page.emulateMedia({ forcedColors: 'active' })
  // The styles follow the new colours a moment later.
  const eventually = expect.configure({ soft: true, timeout: 5000 })
  await eventually.poll(() => withoutLine(page), `${name}: controls without a line in forced colours`).toEqual([])
  await page.emulateMedia({ forcedColors: 'none' })
}

/** In the dark theme nothing but the colours differs. Leaves the page in the light one. */
export async function expectContrastInTheDark(page: Page, name: string): Promise<void> {
  const backgroundOf = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  const light = await backgroundOf()
  await page.emulateMedia({ colorScheme: 'dark' })
  // Until the styles have followed, two themes meet on the page.
  await expect.poll(backgroundOf, `${name} in the dark`).not.toBe(light)
  await expectNothingFound(new AxeBuilder({ page }).withRules(['color-contrast', 'link-in-text-block']), `${name}, dark`)
  await page.emulateMedia({ colorScheme: 'light' })
}

async function expectNothingFound(builder: AxeBuilder, name: string): Promise<void> {
  const { violations } = await builder.analyze()
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`)
  expect.soft(found, name).toEqual([])
}
