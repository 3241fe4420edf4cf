import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, type Page } from '@playwright/test'
import type { AxeResults, RunOptions } from 'axe-core'

declare global {
  interface Window {
    axe?: { run(options: RunOptions): Promise<AxeResults> }
  }
}

const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

// The last one is the width of the checks that follow.
const widths = [360, 390, 768, 1440, 1280]
const sideways = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)

/** Changes, measures and restores in one step: the browser lays out the large text and does not paint it. */
const sidewaysWithLargeText = (page: Page) =>
  page.evaluate(() => {
    const root = document.documentElement
    root.style.setProperty('font-size', '200%')
    const sideways = root.scrollWidth - window.innerWidth
    root.style.removeProperty('font-size')
    return sideways
  })

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
  await expectNothingFound(page, name, { runOnly: { type: 'tag', values: tags }, rules: { 'target-size': { enabled: true } } })
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 })
    expect.soft(await sideways(page), `${name}: sideways scroll at ${width} px`).toBeLessThanOrEqual(0)
  }
  expect.soft(await sidewaysWithLargeText(page), `${name}: sideways scroll with text of twice the size`).toBeLessThanOrEqual(0)
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
  await transitionsEnded(page)
  await expectNothingFound(page, `${name}, dark`, { runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } })
  await page.emulateMedia({ colorScheme: 'light' })
}

/** With reduced motion a transition takes no time, yet an inherited colour reaches each level of the page a frame later. */
const transitionsEnded = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    const running = () => document.getAnimations().filter((animation) => animation instanceof CSSTransition)
    while (running().length > 0) {
      await Promise.allSettled(running().map(({ finished }) => finished))
      await new Promise(requestAnimationFrame)
    }
  })

async function expectNothingFound(page: Page, name: string, options: RunOptions): Promise<void> {
  expect(page.frames(), `${name}: axe sees the main frame only`).toHaveLength(1)
  if (!(await page.evaluate(() => window.axe !== undefined))) await page.evaluate(axe)
  const found = await page.evaluate(async (options) => {
    // Details of the rules that pass take longer than the rules.
    const results = await window.axe?.run({ ...options, resultTypes: ['violations'] })
    return results?.violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`)
  }, options)
  expect.soft(found, name).toEqual([])
}
