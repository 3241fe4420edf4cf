import { join } from 'node:path'
import { createMailServer } from '@floorpass/reliability'
import { requestCommand } from '@floorpass/service/admin-socket'
import { switchOnTwoFactor } from '@floorpass/testing/authenticator'
import { createBrowser } from '@floorpass/testing/browser'
import { eventually } from '@floorpass/testing/eventually'
import { startServer, temporaryFolder } from '@floorpass/testing/server-process'
import { afterAll, expect, test } from 'vitest'

const dataDir = await temporaryFolder()
const mailServer = await createMailServer()
await mailServer.start()
afterAll(() => mailServer.stop())
const server = await startServer({ DATA_DIR: dataDir, RATE_LIMIT: 'off', SMTP_URL: mailServer.url })
const openTab = () =>
  createBrowser({ fetch: (request) => fetch(request, { redirect: 'manual' }) }, `http://localhost:${server.port}`)
const password = 'plum kettle orbit'

async function administrator() {
  const [tab, email] = [openTab(), 'ada@example.test']
  await tab.post('/auth/sign-up/email', { name: 'Ada', email, password })
  const [token] = await eventually(async () => {
    const tokens = await mailServer.tokens(email, 'verify-email')
    expect(tokens).toHaveLength(1)
    return tokens
  })
  await tab.post('/auth/verify-email', { token })
  await tab.post('/auth/sign-in/email', { email, password })
  const { authenticator } = await switchOnTwoFactor(tab, password)
  const line = ['grant-role', email, '--role', 'admin', '--reason', 'leads the support team', '--yes']
  const terminal = { user: 'tests', say: () => {}, ask: null, write: async () => {} }
  expect(await requestCommand(join(dataDir, 'database'), line, terminal)).toMatchObject({ exitCode: 0 })
  expect((await tab.post('/auth/reauthenticate', { code: authenticator.code(1) })).status).toBe(200)
  return tab
}

test('an administrator sends a refused email again, and deletes it, without JavaScript', async () => {
  const tab = await administrator()
  const read = async () => String((await tab.get('/admin/mails', { headers: { accept: 'text/html' } })).body)
  const intents = async (act: string) =>
    [...(await read()).matchAll(new RegExp(`value="(${act} [^"]+)"`, 'g'))].map(([, intent = '']) => intent)
  const submit = async (intent: string) => {
    const headers = { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' }
    const body = String(new URLSearchParams({ intent }))
    const answer = await tab.request('POST', '/admin/mails', { body, headers })
    return { status: answer.status, html: String(answer.body) }
  }
  expect(await read()).toContain('No email was refused.')
  await openTab().post('/auth/sign-up/email', { name: 'Grace', email: 'bad@example.test', password })
  const retry = await eventually(async () => {
    const [intent] = await intents('retry')
    if (intent === undefined) throw new Error('no mail was refused')
    return intent
  })
  const page = await read()
  for (const text of ['bad@example.test', '550', '1 refused']) expect(page).toContain(text)
  expect(page).not.toContain('token=')

  expect(await submit(retry)).toMatchObject({ status: 200, html: expect.stringContaining('The email is queued again.') })
  // Its server refuses it again.
  const [drop = ''] = await eventually(async () => {
    const found = await intents('drop')
    expect(found).toHaveLength(1)
    return found
  })
  expect((await submit(drop)).html).toContain('The email is deleted.')
  expect(await read()).toContain('No email was refused.')
  expect(await submit(drop)).toMatchObject({ status: 404 })
})
