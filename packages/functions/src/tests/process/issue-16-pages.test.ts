import { mailedToken } from '@floorpass/testing/mailed-text'
import { databaseEnvironment, startServer, temporaryFolder } from '@floorpass/testing/server-process'
import { expect, test } from 'vitest'

const dataDir = await temporaryFolder()
const server = await startServer({ ...(await databaseEnvironment()), DATA_DIR: dataDir, RATE_LIMIT: 'off' })
const origin = `http://localhost:${server.port}`

const call = (path: string, body: object, cookie = '') =>
  fetch(server.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin, cookie },
    body: JSON.stringify(body),
  })
const page = async (path: string, cookie = '') =>
  (await fetch(server.url + path, { headers: { accept: 'text/html', cookie } })).text()
const submit = (path: string, fields: Record<string, string>, cookie = '') =>
  fetch(server.url + path, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin, accept: 'text/html', cookie },
    body: new URLSearchParams(fields),
  })
const password = 'plum kettle orbit'
const signedIn = async (name: string) => {
  const email = `${name.toLowerCase()}@example.test`
  await call('/auth/sign-up/email', { name, email, password })
  await call('/auth/verify-email', { token: await mailedToken(dataDir, email, 'Confirm') })
  const answer = await call('/auth/sign-in/email', { email, password })
  const { user } = (await answer.json()) as { user: { id: string } }
  return { email, userId: user.id, cookie: (answer.headers.getSetCookie()[0] ?? '').split(';')[0] ?? '' }
}

test('a signed-out browser that confirms a contested email signs in first and returns to the link', async () => {
  const { email, cookie } = await signedIn('Ada')
  const newEmail = 'new@example.test'
  await call('/auth/sign-up/email', { name: 'Squatter', email: newEmail, password })
  await call('/auth/change-email', { newEmail }, cookie)
  const token = await mailedToken(dataDir, newEmail, 'purpose=change')

  const refused = await submit('/verify-email', { intent: 'confirm', token })
  const location = new URL(refused.headers.get('location') ?? '', origin)
  expect([refused.status, location.pathname, location.searchParams.get('notice')]).toEqual([302, '/login', 'confirm-change'])
  expect(await page(location.pathname + location.search)).toContain('Sign in to the account whose email you’re changing.')
  expect(location.href).not.toContain(token)
  const back = `/verify-email?token=${token}&purpose=change`
  expect(await page(back, cookie)).toContain(`Your account ${email} will use this email`)
  expect(await page(back)).toContain('The account named in the email will use this email')

  const done = await submit('/verify-email', { intent: 'confirm', token }, cookie)
  expect([done.status, done.headers.get('location')]).toEqual([302, '/settings/email?notice=changed'])
})

test('a user who was added to an organization accepts or leaves it on the page', async () => {
  const [owner, member] = [await signedIn('Olga'), await signedIn('Mia')]
  const organizations: { id: string; slug: string }[] = []
  for (const slug of ['desk-one', 'desk-two', 'desk-three']) {
    const created = await call('/auth/organization/create', { name: slug, slug }, owner.cookie)
    const { id } = (await created.json()) as { id: string }
    await call('/auth/organization/member/add', { organizationId: id, userId: member.userId, role: 'admin' }, owner.cookie)
    organizations.push({ id, slug })
  }
  const [one, two, three] = organizations as [
    { id: string; slug: string },
    { id: string; slug: string },
    { id: string; slug: string },
  ]
  const list = () => page('/settings/organizations', member.cookie)
  const intents = (html: string) => [...html.matchAll(/value="((?:accept|leave)(?::[\w-]+)?)"/g)].map(([, intent]) => intent)
  expect(intents(await list())).toEqual(organizations.flatMap(({ id }) => [`accept:${id}`, `leave:${id}`]))

  const post = (path: string, fields: Record<string, string>) => submit(path, fields, member.cookie)
  const accepted = await post('/settings/organizations?index', { intent: `accept:${one.id}` })
  expect(accepted.headers.get('location')).toBe('/settings/organizations?notice=accepted')
  const left = await post('/settings/organizations?index', { intent: `leave:${two.id}` })
  expect(left.headers.get('location')).toBe('/settings/organizations?notice=left')
  expect(intents(await list())).toEqual([`accept:${three.id}`, `leave:${three.id}`])
  const again = await post('/settings/organizations?index', { intent: `leave:${two.id}` })
  expect([again.status, await again.text()]).toEqual([400, expect.stringContaining('This organization doesn’t exist')])

  const ofOne = () => page(`/settings/organizations/${three.slug}`, member.cookie)
  expect(intents(await ofOne())).toEqual(['accept', 'leave'])
  const members = () => page(`/settings/organizations/${three.slug}/members`, owner.cookie)
  expect(await members()).toContain('Not accepted yet')
  const done = await post(`/settings/organizations/${three.slug}?index`, { intent: 'accept', organizationId: three.id })
  expect([done.status, await done.text()]).toEqual([200, expect.stringContaining('You accepted the membership.')])
  expect(intents(await ofOne())).toEqual([])
  expect(await members()).not.toContain('Not accepted yet')
  const create = await post('/settings/organizations?index', { intent: '', name: 'Own', slug: 'own-desk' })
  expect(create.headers.get('location')).toBe('/settings/organizations/own-desk?notice=created')
})
