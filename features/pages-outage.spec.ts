// @frequency 1h
// @locations eu-west-1
// @alerts oncall
// @tags pages, critical
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from '@playwright/test'
import { openDatabase } from '../packages/db/src/client.ts'
import { findPostgres, startPostgresCluster } from '../packages/reliability/src/postgres-cluster.ts'
import { startService } from '../packages/reliability/src/service-process.ts'
import { expectAccessible } from './support/accessible.ts'
import { test as base } from './support/open-browser.ts'
import { signedInPerson, submitSignIn } from './support/person.ts'

type Database = { cut(): Promise<void>; restore(): Promise<void>; run(sql: string): Promise<void> }

const binaries = findPostgres()

// A separate service, whose database the test may break.
const test = base.extend<{ outage: { url: string; database: Database } }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures that this one needs
  outage: async ({}, use) => {
    const cluster = await startPostgresCluster(String(binaries))
    const databaseUrl = await cluster.createDatabase()
    const folder = await mkdtemp(join(tmpdir(), 'floorpass-outage-'))
    const service = await startService({ DATABASE_URL: databaseUrl, DATA_DIR: folder, RATE_LIMIT: 'off' })
    await use({
      url: service.url,
      database: {
        cut: () => cluster.stop('immediate'),
        restore: () => cluster.start(),
        async run(sql) {
          const { db, close } = await openDatabase({ kind: 'postgres', url: databaseUrl, poolSize: 1 })
          await db.$executeRawUnsafe(sql).finally(close)
        },
      },
    })
    await service.end('SIGTERM')
    await cluster.remove()
    await rm(folder, { recursive: true, force: true })
  },
  baseURL: ({ outage }, use) => use(outage.url),
})

test.skip(!binaries, 'needs the programs of a PostgreSQL server')

test('pages: T191, while the database is away a page says so, keeps what was typed, and goes on when it is back', async ({
  page,
  openBrowser,
  outage: { database },
}) => {
  test.slow()
  const person = await signedInPerson(page)
  const visitor = await openBrowser()
  await visitor.goto('/login')
  await database.cut()

  const answer = await page.goto('/settings/security')
  expect(answer?.status()).toBe(503)
  expect(answer?.headers()['retry-after']).toMatch(/^\d+$/)
  expect(answer?.headers()['cache-control']).toBe('no-store')
  await expect(page.getByRole('heading', { name: 'Service unavailable' })).toBeVisible()
  await expectAccessible(page, '503')

  await submitSignIn(visitor, person)
  await expect(visitor.getByRole('alert')).toContainText(
    'The service is unavailable right now, and your request may not have gone through.',
  )
  await expect(visitor.getByLabel('Email address')).toHaveValue(person.email)

  await database.restore()
  await page.getByRole('link', { name: 'Try again' }).click()
  await expect(page.getByRole('heading', { name: 'Two-factor authentication' })).toBeVisible()
  await submitSignIn(visitor, person)
  await expect(visitor).toHaveURL('/dashboard')
})

test('pages: a server error page shows no internals and offers a retry', async ({ page, outage: { database } }) => {
  test.slow()
  await signedInPerson(page)
  await database.run('ALTER TABLE audit_events RENAME TO mislaid')
  const answer = await page.goto('/settings/activity')
  expect(answer?.status()).toBe(500)
  expect(await answer?.text()).not.toMatch(/audit_events|prisma|\.ts:|node_modules/i)
  await expect(page.getByRole('heading', { name: 'Something went wrong' })).toBeVisible()
  await expectAccessible(page, '500')
  await database.run('ALTER TABLE mislaid RENAME TO audit_events')
  await page.getByRole('link', { name: 'Try again' }).click()
  await expect(page.getByRole('heading', { name: 'Activity' })).toBeVisible()
})
