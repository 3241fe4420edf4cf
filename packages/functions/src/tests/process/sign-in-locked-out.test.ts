import { databaseEnvironment, startServer, temporaryFolder } from '@floorpass/testing/server-process'
import { expect, test } from 'vitest'

const environment = {
  ...(await databaseEnvironment()),
  DATA_DIR: await temporaryFolder(),
  RATE_LIMIT: 'on',
  GITHUB_CLIENT_ID: 'client',
  GITHUB_CLIENT_SECRET: 'secret',
}
const server = await startServer(environment)
const origin = `http://localhost:${server.port}`

const post = (path: string, fields: Record<string, string>, language = 'en') =>
  fetch(server.url + path, {
    method: 'POST',
    redirect: 'manual',
    headers: { accept: 'text/html', 'accept-language': language, origin },
    body: new URLSearchParams(fields),
  })
const submitWrongPassword = (email: string, language?: string) =>
  post('/login', { intent: 'password', email, password: 'not the password' }, language)

/** The page after too many attempts, without what differs in every answer. */
async function lockOut(email: string, language?: string) {
  for (let count = 0; count < 10; count += 1) expect((await submitWrongPassword(email)).status).toBe(401)
  const answer = await submitWrongPassword(email, language)
  const html = (await answer.text()).replace(/<script.*?<\/script>/gs, '').replaceAll(email, 'EMAIL')
  const nonce = /nonce="([^"]+)"/.exec(html)?.[1] ?? '-'
  return { status: answer.status, html: html.replaceAll(nonce, 'NONCE') }
}

test('after too many attempts the page says how long to wait and what else works, the same for every address', async () => {
  await post('/signup', { name: 'Ada', email: 'ada@example.test', password: 'plum kettle orbit' })
  const [known, unknown] = [await lockOut('ada@example.test'), await lockOut('unknown@example.test')]
  expect([known.status, unknown.status]).toEqual([429, 429])
  expect(known.html).toMatch(/Too many attempts in a short time\. Try again in (10|9) minutes\./)
  const withoutWait = ({ html }: typeof known) => html.replace(/Try again in \d+ minutes/, 'WAIT')
  expect(withoutWait(known)).toBe(withoutWait(unknown))
  expect(known.html).toContain('You can also choose a new password with a link by email, or sign in with a passkey or GitHub.')
  expect(known.html).toMatch(/<button[^>]*form="remedy"[^>]*>Choose a new password<\/button>/)
})

test('the way to a new password takes the address along, in no URL', async () => {
  const answer = await post('/login?redirectTo=%2Fsettings', { intent: 'forgot', email: 'ada@example.test' })
  expect([answer.status, answer.headers.get('location')]).toEqual([302, '/forgot-password?redirectTo=%2Fsettings'])
  const [cookie = ''] = answer.headers.getSetCookie()
  const page = await fetch(`${server.url}/forgot-password`, { headers: { cookie: cookie.split(';')[0] ?? '' } })
  expect(await page.text()).toMatch(/<input[^>]*value="ada@example.test"/)
})
