// @frequency 1h
// @locations eu-west-1
// @alerts oncall
// @tags pages, accessibility
import { expect, type Page } from '@playwright/test'
import { expectAccessible, expectContrastInTheDark } from './support/accessible.ts'
import { scriptsAtWork } from './support/drivers.ts'
import { openPage, pages } from './support/pages.ts'
import { type Visitor, visitors } from './support/scene.ts'
import { test, watch } from './support/scene-test.ts'

const rowsOf = (visitor: Visitor) => pages.filter(({ as }) => as === visitor)

/** Of the pages that one test looks at, so that none nears its time limit on a slow machine. */
const most = 8

const parts = visitors.flatMap((visitor) => {
  const rows = rowsOf(visitor)
  const count = Math.ceil(rows.length / most)
  return Array.from({ length: count }, (_, index) => ({
    visitor,
    part: `part ${index + 1} of ${count}`,
    rows: rows.slice(index * most, (index + 1) * most),
  }))
})

for (const { visitor, part, rows } of parts) {
  test(`pages: everyone can read every page in light and dark, and it fits (${visitor}, ${part})`, async ({
    visit,
    scene,
    baseURL,
  }) => {
    test.slow()
    // Colours on their way from one to the other have no contrast worth measuring.
    const page = await visit({ as: visitor, reducedMotion: 'reduce' })
    const complaints = watch(page, baseURL)
    for (const row of rows) {
      await page.setViewportSize({ width: 1280, height: 800 })
      const answer = await openPage(page, row, scene)
      expect.soft(answer?.status(), row.name).toBe(row.status ?? 200)
      await scriptsAtWork(page)
      await expectAccessible(page, row.name)
      await expectContrastInTheDark(page, row.name)
    }
    expect(complaints).toEqual([])
  })
}

const moving = (page: Page) =>
  page.evaluate(() => {
    const seconds = (list: string) => Math.max(...list.split(', ').map((time) => Number.parseFloat(time)))
    return [...document.querySelectorAll('*')]
      .map((element) => ({ element, style: getComputedStyle(element) }))
      .filter(
        ({ style }) =>
          seconds(style.transitionDuration) > 0.01 || (style.animationName !== 'none' && seconds(style.animationDuration) > 0.01),
      )
      .map(({ element }) => element.outerHTML.slice(0, 120))
  })

test('pages: nothing moves for a person who prefers reduced motion', async ({ visit, scene }) => {
  const trading = pages.find(({ name }) => name === 'settings-trading')
  if (!trading) throw new Error('the table has no such page')
  const lively = await visit({ as: 'member', reducedMotion: 'no-preference' })
  await openPage(lively, trading, scene)
  expect(await moving(lively), 'there is motion to take away').not.toEqual([])
  const calm = await visit({ as: 'member', reducedMotion: 'reduce' })
  await openPage(calm, trading, scene)
  expect(await moving(calm)).toEqual([])
})
