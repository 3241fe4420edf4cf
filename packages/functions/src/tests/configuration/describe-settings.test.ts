import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeSettings, loadConfig, variables } from '@floorpass/env'
import { makeAdministrator } from '@floorpass/testing/administrators'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { expect, onTestFinished, test } from 'vitest'

function describeIn(file: string | null, source: Record<string, string>) {
  const root = mkdtempSync(join(tmpdir(), 'settings-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  if (file !== null) writeFileSync(join(root, '.env'), file)
  const settings = describeSettings(source, loadConfig(source, root), root)
  return Object.fromEntries(settings.map((setting) => [setting.name, setting]))
}

test('a setting comes from the environment, from the file, or from the default', () => {
  const settings = describeIn('APP_NAME=Desk\nPORT=4000\n', { APP_NAME: 'Desk', PORT: '5000' })
  expect(settings).toMatchObject({
    APP_NAME: { value: 'Desk', source: 'file', isSet: true },
    PORT: { value: '5000', source: 'environment', isSet: true },
    HOST: { value: '127.0.0.1', source: 'default', isSet: false },
    LOCK_DAYS: { value: '1-30', source: 'default' },
    SUPPORT_URL: { value: null, source: 'default', isSet: false },
  })
})

test('a setting that is not set shows what the service uses instead', () => {
  expect(describeIn(null, { PORT: '4000' })).toMatchObject({
    BASE_URL: { value: 'http://localhost:4000', isSet: false },
    MAIL_FROM: { value: 'no-reply@localhost', isSet: false },
    PASSKEY_RP_ID: { value: 'localhost', isSet: false },
  })
})

const secret = 'Zx81kQ-v7Lr2mN0pT5wY9uJ3hG6dF4sA'
const secrets = {
  AUTH_SECRET: secret,
  DATABASE_URL: `postgresql://user:${secret}@db.example.com/floorpass`,
  DATABASE_REPLICA_URL: `postgresql://user:${secret}@replica.example.com/floorpass`,
  REDIS_URL: `redis://:${secret}@redis.example.com`,
  REDIS_SENTINELS: `redis://:${secret}@sentinel.example.com`,
  SMTP_URL: `smtps://user:${secret}@mail.example.com`,
  GOOGLE_CLIENT_SECRET: secret,
  GITHUB_CLIENT_SECRET: secret,
  CI_TEST_SECRET: secret,
  METRICS_TOKEN: secret,
  SERVICE_KEYS: secret,
  MONITOR_API_KEY: secret,
  MONITOR_ACCOUNT_ID: secret,
  OTEL_EXPORTER_OTLP_HEADERS: `authorization=${secret}`,
}

test('a secret is shown as set, and never its value', () => {
  const settings = describeIn(null, secrets)
  expect(JSON.stringify(settings)).not.toContain(secret)
  for (const name of Object.keys(secrets))
    expect(settings[name], name).toMatchObject({ value: null, isSet: true, isSecret: true })
  const shown = variables.filter((name) => !Object.hasOwn(secrets, name))
  for (const name of shown) expect(settings[name]?.isSecret, name).toBe(false)
})

test('an auditor reads the settings by HTTP, and support does not', async () => {
  const app = await createTestApp({ APP_NAME: 'Meridian', CI_TEST_SECRET: secret })
  const tab = await app.signedIn()
  await makeAdministrator(app, tab, 'auditor')
  const { status, body } = await tab.get('/auth/admin/list-settings')
  const { settings } = body as { settings: { name: string }[] }
  expect(status).toBe(200)
  expect(settings.map(({ name }) => name)).toEqual(variables)
  expect(settings).toContainEqual({ name: 'APP_NAME', value: 'Meridian', isSet: true, isSecret: false, source: 'environment' })
  expect(JSON.stringify(body)).not.toContain(secret)
  await makeAdministrator(app, tab, 'support')
  expect((await tab.get('/auth/admin/list-settings')).code).toBe('ADMINISTRATOR_ROLE_REQUIRED')
})
