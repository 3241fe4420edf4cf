// @frequency 1h
// @locations eu-west-1
// @alerts oncall
// @tags settings
import { test } from '@playwright/test'
import { byMouse } from './support/drivers.ts'
import { journeys, walk } from './support/settings-journeys.ts'

test.use({ javaScriptEnabled: false })

for (const journey of journeys) {
  test(`settings: with JavaScript off, ${journey.page}: ${journey.fact}`, ({ page }) => walk(journey, page, byMouse(page)))
}
