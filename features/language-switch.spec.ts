// @frequency 1h
// @locations eu-west-1
// @alerts oncall
// @tags profile, language
import { expect } from '@playwright/test'
import { scriptsAtWork } from './support/drivers.ts'
import { test } from './support/open-browser.ts'
import { newPerson, signedInPerson, signInOnNewDevice } from './support/person.ts'

test.describe('in a browser that prefers French', () => {
  test.use({ locale: 'fr-FR' })

  test('profile: a page, its title, its errors and the boxes beside them are in the language of the browser', async ({
    page,
  }) => {
    await page.goto('/signup')
    await expect(page).toHaveTitle('Créer un compte · Floorpass')
    await expect(page.locator('html')).toHaveAttribute('lang', 'fr')
    await page.getByLabel('Adresse e‑mail').fill('personne')
    await page.getByLabel('Mot de passe', { exact: true }).fill('aaaaaaaaaa')
    await page.getByRole('button', { name: 'Créer le compte' }).click()
    const alert = page.getByRole('alert')
    await expect(alert).toContainText('Certains champs sont à corriger.')
    await expect(alert).toContainText('Saisissez un nom')
    await expect(alert).toContainText('Saisissez une adresse e‑mail valide')

    await page.getByLabel('Nom', { exact: true }).fill('Ada Lovelace')
    await page.getByLabel('Adresse e‑mail').fill(newPerson().email)
    // Where the form went without the scripts the box is empty again.
    await page.getByLabel('Mot de passe', { exact: true }).fill('aaaaaaaaaa')
    await page.getByRole('button', { name: 'Créer le compte' }).click()
    await expect(alert).toContainText('Ce mot de passe est trop facile à deviner.')
    await expect(alert).toContainText('Les caractères répétés, comme')
    await page.goto('/rien-ici')
    await expect(page.getByRole('heading', { name: 'Page introuvable' })).toBeVisible()
  })
})

test('profile: the switch at the foot of a page changes its language, here and at the next visit', async ({ page, context }) => {
  await page.goto('/login?redirectTo=%2Fsettings%2Ftrading')
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  await page.getByRole('button', { name: 'Français' }).click()
  await expect(page.getByRole('heading', { name: 'Connexion' })).toBeVisible()
  await expect(page).toHaveURL('/login?redirectTo=%2Fsettings%2Ftrading')
  await expect(page).toHaveTitle('Connexion · Floorpass')
  await page.getByRole('link', { name: 'Créer un compte' }).click()
  await expect(page.getByRole('heading', { name: 'Créer un compte' })).toBeVisible()

  const again = await context.newPage()
  await again.goto('/')
  await expect(again.getByRole('link', { name: 'Se connecter', exact: true }).first()).toBeVisible()
})

test('profile: every browser shows the language and dates of the account', async ({ page, openBrowser }) => {
  const person = await signedInPerson(page)
  await page.goto('/settings/profile')
  await page.getByRole('combobox', { name: 'Language' }).selectOption('fr')
  await page.getByRole('button', { name: 'Save language' }).click()
  await expect(page.getByText('Langue enregistrée.')).toBeVisible()
  await page.goto('/settings/sessions')
  await expect(page.locator('time').first()).toContainText(
    /^(maintenant|il y a .+)\d+ (janv|févr|mars|avr|mai|juin|juil|août|sept|oct|nov|déc)/,
  )

  const elsewhere = await signInOnNewDevice(openBrowser, person)
  await expect(elsewhere.getByRole('heading', { name: `Bonjour ${person.name}` })).toBeVisible()
  await expect(elsewhere.getByRole('link', { name: 'Paramètres' })).toBeVisible()
  await expect(elsewhere.locator('html')).toHaveAttribute('lang', 'fr')
})

test('profile: a page that the browser has translated goes on', async ({ page, context }) => {
  const person = await signedInPerson(page)
  await context.clearCookies()
  await context.addCookies([{ name: 'floorpass_locale', value: 'fr', url: new URL(page.url()).origin }])
  await page.goto('/login')
  await scriptsAtWork(page)
  await page.evaluate(() => {
    document.documentElement.lang = 'de'
  })
  await page.getByLabel('Adresse e‑mail').fill(person.email)
  await page.getByLabel('Mot de passe', { exact: true }).fill(person.password)
  await page.getByRole('button', { name: 'Se connecter', exact: true }).click()
  await expect(page.getByRole('heading', { name: `Hello, ${person.name}` })).toBeVisible()
})

test.describe('with JavaScript off', () => {
  test.use({ javaScriptEnabled: false })

  test('profile: the switch works without JavaScript', async ({ page }) => {
    await page.goto('/forgot-password')
    await page.getByRole('button', { name: 'Français' }).click()
    await expect(page.getByRole('heading', { name: 'Mot de passe oublié' })).toBeVisible()
    await page.getByRole('button', { name: 'English' }).click()
    await expect(page.getByRole('heading', { name: 'Forgot your password?' })).toBeVisible()
  })
})
