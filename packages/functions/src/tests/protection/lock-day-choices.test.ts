import { expect, test } from 'vitest'

type Choices = { days: number[]; usualDays: number }

const { href } = new URL('../../../../../apps/web/app/protection-page.server.ts', import.meta.url)
const { lockDayChoices } = (await import(href)) as { lockDayChoices(limits: { least: number; most: number }): Choices }

test.each([
  [1, 30, [1, 3, 7, 14, 30], 7],
  [2, 5, [3], 3],
  [1, 6, [1, 3], 3],
  [10, 20, [14], 14],
  [8, 30, [14, 30], 14],
  [4, 5, [4], 4],
])('with LOCK_DAYS=%i-%i the page offers %j days, and begins with %i', (least, most, days, usualDays) => {
  expect(lockDayChoices({ least, most })).toEqual({ days, usualDays })
})
