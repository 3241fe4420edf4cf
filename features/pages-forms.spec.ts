// @frequency 1h
// @locations eu-west-1
// @alerts oncall
// @tags pages
import { expect, type Page, test } from '@playwright/test'
import { scriptsAtWork } from './support/drivers.ts'
import { newPerson, signedInPerson } from './support/person.ts'

/** Counts what is posted from now on, and holds it until it is let go. */
async function holdPosts(page: Page) {
  const posts: string[] = []
  let letGo = () => {}
  const held = new Promise<void>((resolve) => {
    letGo = resolve
  })
  await page.route('**/*', async (route) => {
    if (route.request().method() === 'POST') {
      posts.push(new URL(route.request().url()).pathname)
      await held
    }
    // A page that went on meanwhile has given its request up.
    await route.continue().catch(() => {})
  })
  return { posts, letGo: () => letGo() }
}

async function skipToContent(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Skip to content' }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('main')).toBeFocused()
}

const families = [
  {
    family: 'of the sign-in pages',
    async prepare(page: Page) {
      await page.goto('/forgot-password')
      await page.getByLabel('Email address').fill(newPerson().email)
    },
    button: 'Send link',
    outcome: (page: Page) => expect(page.getByRole('heading', { name: 'Check your email' })).toBeVisible(),
  },
  {
    family: 'in the settings',
    async prepare(page: Page) {
      await signedInPerson(page)
      await page.goto('/settings/profile')
      await page.getByLabel('Name').fill('Augusta King')
    },
    button: 'Save name',
    outcome: (page: Page) => expect(page.getByRole('status').filter({ hasText: 'Name saved.' })).toBeVisible(),
  },
]

for (const { family, prepare, button, outcome } of families) {
  test(`pages: a form ${family} is sent once, says so, and keeps its button`, async ({ page }) => {
    await prepare(page)
    await scriptsAtWork(page)
    const { posts, letGo } = await holdPosts(page)
    const submit = page.getByRole('button', { name: button, exact: true })
    await submit.focus()
    for (let presses = 0; presses < 3; presses += 1) await page.keyboard.press('Enter')
    await expect(submit).toHaveAttribute('aria-disabled', 'true')
    await expect(submit).toBeFocused()
    const form = page.locator('form').filter({ has: submit })
    await expect(form).toHaveAttribute('aria-busy', 'true')
    await expect(form.getByRole('status')).toHaveText('Sending…')
    letGo()
    await outcome(page)
    expect(posts).toHaveLength(1)
  })
}

test('pages: a form whose answer is a whole new document is sent once too', async ({ page }) => {
  const { password } = await signedInPerson(page)
  await page.goto('/settings/danger')
  await page.getByLabel('Password', { exact: true }).fill(password)
  await scriptsAtWork(page)
  const { posts, letGo } = await holdPosts(page)
  await page.getByRole('button', { name: 'Delete my account' }).focus()
  // No locator answers while the browser is on its way to another document.
  for (let presses = 0; presses < 3; presses += 1) await page.keyboard.press('Enter')
  letGo()
  await expect(page).toHaveURL('/?notice=account-deleted')
  expect(posts).toEqual(['/settings/danger'])
})

test('pages: after a refusal the focus is in the first field to correct, and the reason is announced', async ({ page }) => {
  await page.goto('/signup')
  await page.getByLabel('Email address').fill('ada@')
  await page.getByLabel('Password', { exact: true }).fill('violet tram 74')
  await page.getByRole('button', { name: 'Create account' }).click()
  const name = page.getByLabel('Name')
  await expect(name).toBeFocused()
  await expect(name).toHaveAttribute('aria-invalid', 'true')
  await expect(name).not.toHaveAccessibleDescription('')
  const alert = page.getByRole('alert')
  await expect(alert.getByRole('link')).toHaveCount(2)
  await scriptsAtWork(page)
  await alert.getByRole('link').last().click()
  await expect(page.getByLabel('Email address')).toBeFocused()
  await skipToContent(page)
  await expect(alert.getByRole('link'), 'what was said is there as long as it is true').toHaveCount(2)
})

test('pages: "Skip to content" keeps the page of a mailed link as it is', async ({ page }) => {
  await page.goto('/verify-email?token=any')
  await scriptsAtWork(page)
  await expect(page).toHaveURL('/verify-email')
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await skipToContent(page)
  await expect(page.getByRole('button', { name: 'Confirm email' })).toBeVisible()
  await expect(page).toHaveURL('/verify-email')
  expect(asked).toEqual([])
})

test('pages: a form that is pressed twice in one moment is sent once', async ({ page }) => {
  // React puts its work off by this where it is there, as it does in a browser that is busy.
  await page.addInitScript(() => {
    Object.assign(window, { setImmediate: (work: () => void) => setTimeout(work, 500) })
  })
  await signedInPerson(page)
  await page.goto('/settings/profile')
  await scriptsAtWork(page)
  await page.getByLabel('Name').fill('Augusta King')
  const { posts, letGo } = await holdPosts(page)
  await page.getByRole('button', { name: 'Save name' }).evaluate(async (button: HTMLButtonElement) => {
    button.click()
    await new Promise((resolve) => setTimeout(resolve, 100))
    button.click()
  })
  await expect.poll(() => posts.length).toBeGreaterThan(0)
  letGo()
  await expect(page.getByText('Name saved.')).toBeVisible()
  expect(posts).toHaveLength(1)
  await page.getByLabel('Name').fill('Ada King')
  await page.getByRole('button', { name: 'Save name' }).click()
  await expect.poll(() => posts.length).toBe(2)
})

test('pages: a password can be pasted, shown and filled by a manager', async ({ page }) => {
  for (const [path, label, use] of [
    ['/login', 'Password', 'current-password'],
    ['/signup', 'Password', 'new-password'],
  ] as const) {
    await page.goto(path)
    await scriptsAtWork(page)
    const box = page.getByLabel(label, { exact: true })
    await expect(box).toHaveAttribute('autocomplete', use)
    await expect(page.getByLabel('Email address')).toHaveAttribute('autocomplete', /username/)
    await box.evaluate((element: HTMLInputElement) => {
      const pasted = new ClipboardEvent('paste', { bubbles: true, cancelable: true, clipboardData: new DataTransfer() })
      if (!element.dispatchEvent(pasted)) throw new Error('the page refuses what is pasted')
    })
    await box.fill('violet tram 74')
    await page.getByRole('button', { name: 'Show password' }).click()
    await expect(box).toHaveAttribute('type', 'text')
    await expect(box).toHaveValue('violet tram 74')
    await page.getByRole('button', { name: 'Hide password' }).click()
    await expect(box).toHaveAttribute('type', 'password')
  }
})

test('pages: a success takes the focus each time, also with the same words', async ({ page }) => {
  await signedInPerson(page)
  await page.goto('/settings/sessions')
  await scriptsAtWork(page)
  const saved = page.getByRole('status').filter({ hasText: 'Name saved.' })
  await page.getByText('Name this device').click()
  for (const name of ['Desk', 'Desk at home']) {
    await page.getByLabel('Name', { exact: true }).fill(name)
    await page.getByRole('button', { name: 'Save name' }).click()
    await expect(page.getByText(name, { exact: true }).first()).toBeVisible()
    await expect(saved).toBeFocused()
  }
})

test('pages: a form with an unknown intent is refused, and changes nothing', async ({ page, baseURL }) => {
  await signedInPerson(page)
  const fields = { intent: 'any', kind: 'bitcoin', value: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq' }
  for (const path of ['/settings/allow-list', '/settings/protection', '/confirm?id=any']) {
    const answer = await page.request.post(path, { form: fields, headers: { origin: baseURL ?? '' } })
    expect.soft([path, answer.status()]).toEqual([path, 400])
  }
  await page.goto('/settings/allow-list')
  await expect(page.getByText('No addresses yet')).toBeVisible()
})

test('pages: a refusal of a form that the page no longer has is shown', async ({ page, baseURL }) => {
  await signedInPerson(page)
  for (const [path, intent] of [
    ['/settings/accounts', 'gone'],
    ['/settings/sessions', 'name gone'],
    ['/settings/passkeys', 'remove gone'],
    ['/settings/api-keys', 'delete gone'],
    ['/settings/allow-list', 'remove gone'],
    ['/settings/protection', 'unlock-with-key'],
    ['/settings/protection', 'undo-panic'],
    ['/settings/protection', 'cancel-unlock'],
    ['/settings/profile', 'take-picture-google'],
  ] as const) {
    const answer = await page.request.post(path, { form: { intent }, headers: { origin: baseURL ?? '' } })
    const html = await answer.text()
    const alerts = html.match(/role="alert"/g) ?? []
    expect.soft([path, intent, answer.status() >= 400, alerts.length]).toEqual([path, intent, true, 1])
  }
})
