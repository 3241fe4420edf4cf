import { expect, type Locator, type Page } from '@playwright/test'

/** How a person works a page. Everything is found by its role and name. */
export type Hand = {
  fill(label: string, text: string): Promise<void>
  press(button: string): Promise<void>
  follow(link: string): Promise<void>
  /** Switches a checkbox or switch on. */
  tick(name: string): Promise<void>
  /** Chooses the option after the chosen one. */
  chooseNext(chosen: string, next: string): Promise<void>
}

/** Tab, Enter, Space and arrows; every stop on the way shows where one is. */
export function byKeyboard(page: Page): Hand {
  const press = async (target: Locator, key: string) => {
    await tabTo(page, target)
    await page.keyboard.press(key)
  }
  return {
    async fill(label, text) {
      await tabTo(page, page.getByLabel(label, { exact: true }))
      await page.keyboard.press('ControlOrMeta+a')
      await page.keyboard.type(text)
    },
    press: (name) => press(page.getByRole('button', { name, exact: true }), 'Enter'),
    follow: (name) => press(page.getByRole('link', { name, exact: true }), 'Enter'),
    tick: (name) => press(page.getByLabel(name, { exact: true }), 'Space'),
    async chooseNext(chosen, next) {
      await press(page.getByRole('radio', { name: chosen }), 'ArrowDown')
      await expect(page.getByRole('radio', { name: next })).toBeChecked()
    },
  }
}

export const press = (place: Page | Locator, name: string | RegExp): Promise<void> =>
  place.getByRole('button', { name, exact: true }).click()

/** Clicks and typing, as with JavaScript off. */
export function byMouse(page: Page): Hand {
  return {
    fill: (label, text) => page.getByLabel(label, { exact: true }).fill(text),
    press: (name) => press(page, name),
    follow: (name) => page.getByRole('link', { name, exact: true }).click(),
    tick: (name) => page.getByLabel(name, { exact: true }).check(),
    chooseNext: (_chosen, next) => page.getByRole('radio', { name: next }).check(),
  }
}

/** Presses Tab until `target` has the focus; every stop on the way shows where one is. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeVisible()
  // A page that has just come moves the focus to its answer, a moment after it shows.
  await rest(page)
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press('Tab')
    await expect.poll(() => stopOfTab(page)).toMatch(/^(none|shown)$/)
    if (await target.evaluate((element) => element === document.activeElement)) return
  }
  await expect(target).toBeFocused()
}

/** Asked in one step: between two, a script may have moved the focus. */
function stopOfTab(page: Page): Promise<string> {
  return page.evaluate(() => {
    const stop = document.activeElement as HTMLElement
    // After the last stop the focus leaves the page once; and what a script has focused is no stop of Tab.
    if (stop.tabIndex === -1) return 'none'
    const { top, bottom } = stop.getBoundingClientRect()
    const { outlineStyle, outlineWidth } = getComputedStyle(stop)
    const shown = bottom > 0 && top < innerHeight && outlineStyle === 'solid' && outlineWidth === '3px'
    return shown ? 'shown' : `${stop.outerHTML.slice(0, 200)} at ${top} px, outline ${outlineWidth} ${outlineStyle}`
  })
}

export async function expectVisibleFocus(focused: Locator): Promise<void> {
  await expect(focused).toBeInViewport()
  await expect(focused).toHaveCSS('outline-style', 'solid')
  await expect(focused).toHaveCSS('outline-width', '3px')
}

/**
 * Waits until the scripts have taken the page over. Before that a form, a link and an outage are the browser's own. React keeps on the
 * document whether it has; what it does first of all is done a task later.
 */
export async function scriptsAtWork(page: Page): Promise<void> {
  await page.waitForFunction(() =>
    Object.entries(document).some(
      ([key, root]) => key.startsWith('__reactContainer$') && root.stateNode.current.memoizedState.isDehydrated === false,
    ),
  )
  await rest(page)
}

/** Holds the scripts of the page until the returned function is called, which throws when it held none. */
export async function holdScripts(page: Page): Promise<() => void> {
  const { promise: released, resolve } = Promise.withResolvers<void>()
  let held = 0
  await page.route('**/assets/*.js', async (route) => {
    held += 1
    await released
    await route.continue()
  })
  return () => {
    if (held === 0) throw new Error('no script was held')
    resolve()
  }
}

/** The fonts are there, and the browser has reported the shifts of two frames. */
export const layoutSettled = async (page: Page): Promise<void> => {
  await page.evaluate(() => document.fonts.ready.then(() => {}))
  for (let frame = 0; frame < 2; frame += 1) await rest(page)
}

const rest = (page: Page): Promise<void> =>
  page.evaluate(() => new Promise<void>((rested) => requestAnimationFrame(() => setTimeout(rested))))
