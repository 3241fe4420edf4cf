// @frequency 1h
// @locations eu-west-1
// @alerts oncall
// @tags settings, accessibility
import { test } from '@playwright/test'
import { byKeyboard } from './support/drivers.ts'
import { journeys, walk } from './support/settings-journeys.ts'

for (const journey of journeys) {
  test(`settings: by keyboard alone, ${journey.page}: ${journey.fact}`, ({ page }) => walk(journey, page, byKeyboard(page)))
}
