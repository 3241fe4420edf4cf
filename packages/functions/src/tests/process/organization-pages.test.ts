import { mailedToken } from '@floorpass/testing/mailed-text'
import { databaseEnvironment, startServer, temporaryFolder } from '@floorpass/testing/server-process'
import { beforeAll, describe, expect, test } from 'vitest'

const dataDir = await temporaryFolder()
const server = await startServer({ ...(await databaseEnvironment()), DATA_DIR: dataDir, RATE_LIMIT: 'off' })
const origin = `http://localhost:${server.port}`
const password = 'plum kettle orbit'

type Person = { email: string; userId: string; cookie: string }

const call = async (path: string, body: object, cookie = '') => {
  const headers = { 'content-type': 'application/json', origin, cookie }
  const answer = await fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  expect([path, answer.status]).toEqual([path, 200])
  return answer
}
const open = async (path: string, { cookie }: Person) => {
  const answer = await fetch(server.url + path, { headers: { accept: 'text/html', cookie } })
  return { status: answer.status, html: (await answer.text()).replaceAll('<!-- -->', '').replaceAll('&amp;', '&') }
}
const submit = (path: string, fields: Record<string, string>, { cookie }: Person) =>
  fetch(server.url + path, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin, accept: 'text/html', cookie },
    body: new URLSearchParams(fields),
  })
const signedIn = async (name: string): Promise<Person> => {
  const email = `${name.toLowerCase().replaceAll(' ', '.')}@example.test`
  await call('/auth/sign-up/email', { name, email, password })
  await call('/auth/verify-email', { token: await mailedToken(dataDir, email) })
  const answer = await call('/auth/sign-in/email', { email, password })
  const { user } = (await answer.json()) as { user: { id: string } }
  return { email, userId: user.id, cookie: (answer.headers.getSetCookie()[0] ?? '').split(';')[0] ?? '' }
}
const create = async (person: Person, name: string, slug = '') =>
  (await submit('/settings/organizations?index', { intent: '', name, slug }, person)).headers.get('location')

let owner: Person
let member: Person
let id: string
const desk = '/settings/organizations/desk'
beforeAll(async () => {
  owner = await signedIn('Olga Owner')
  member = await signedIn('Mia Member')
  const created = await call('/auth/organization/create', { name: 'Desk', slug: 'desk' }, owner.cookie)
  id = ((await created.json()) as { id: string }).id
  await call('/auth/organization/member/add', { organizationId: id, userId: member.userId, role: 'member' }, owner.cookie)
  await call('/auth/organization/accept-membership', { organizationId: id }, member.cookie)
})

describe('without JavaScript', () => {
  test('an empty short name is derived from the name, and stays unique', async () => {
    const person = await signedIn('Dora Deriver')
    expect(await create(person, 'Søren & Éloïse GmbH')).toBe('/settings/organizations/soren-eloise-gmbh?notice=created')
    expect(await create(person, 'Søren & Éloïse GmbH')).toMatch(
      /^\/settings\/organizations\/soren-eloise-gmbh-[0-9a-f]{6}\?notice=created$/,
    )
    // Reserved, and without a Latin letter.
    expect(await create(person, 'Admin')).toMatch(/^\/settings\/organizations\/admin-[0-9a-f]{6}\?notice=created$/)
    expect(await create(person, '東京')).toMatch(/^\/settings\/organizations\/team-[0-9a-f]{6}\?notice=created$/)
    const nameless = await submit('/settings/organizations?index', { intent: '', name: ' ', slug: '' }, person)
    const html = await nameless.text()
    expect([nameless.status, html.includes('id="name-error"'), html.includes('id="slug-error"')]).toEqual([400, true, false])
  })

  test('a sixth organization is not offered, and is refused', async () => {
    const person = await signedIn('Fiona Full')
    for (const slug of ['f-1', 'f-2', 'f-3', 'f-4']) await create(person, slug, slug)
    expect((await open('/settings/organizations', person)).html).toContain('Create organization')
    await create(person, 'f-5', 'f-5')
    const { html } = await open('/settings/organizations', person)
    expect(html).toContain('You’re in 5 organizations')
    expect(html).not.toContain('Create organization')
    const sixth = await submit('/settings/organizations?index', { intent: '', name: 'f-6', slug: 'f-6' }, person)
    expect([sixth.status, await sixth.text()]).toEqual([
      403,
      expect.stringContaining('You’ve reached the limit of 5 organizations.'),
    ])
  })

  test('members are searched, filtered by role and paged by the address', async () => {
    const fellows = await Promise.all(Array.from({ length: 21 }, (_, index) => signedIn(`Fellow N${index + 10}`)))
    for (const { userId } of fellows)
      await call('/auth/organization/member/add', { organizationId: id, userId, role: 'admin' }, owner.cookie)
    const rows = (html: string) => [...html.matchAll(/name="intent" value="role:/g)].length
    const first = await open(`${desk}/members`, owner)
    expect([rows(first.html), first.html.includes('23 members'), first.html.includes('Page 1 of 2')]).toEqual([20, true, true])
    expect(first.html).toContain(`href="${desk}/members?page=2"`)
    for (const page of ['2', '3', '99999999999'])
      expect([page, rows((await open(`${desk}/members?page=${page}`, owner)).html)]).toEqual([page, 3])
    for (const page of ['0', '-1', 'x', '1.5']) expect(rows((await open(`${desk}/members?page=${page}`, owner)).html)).toBe(20)
    const admins = await open(`${desk}/members?role=admin&search=FELLOW`, owner)
    expect(admins.html).toContain('21 members found.')
    expect(admins.html).toContain(`href="${desk}/members?search=FELLOW&role=admin&page=2"`)
    const found = await open(`${desk}/members?search=mia.member%40example`, owner)
    expect([found.html.includes('1 member found.'), rows(found.html)]).toEqual([true, 1])
    expect((await open(`${desk}/members?role=owner&search=mia`, owner)).html).toContain('No member matches')
    for (const search of ['x'.repeat(5000), `${'x'.repeat(99)}📈x`, '📈'.repeat(101)])
      expect((await open(`${desk}/members?role=wizard&search=${encodeURIComponent(search)}`, owner)).status).toBe(200)
  })

  test('a removal asks first: the button leads to the question, and only its answer removes', async () => {
    const target = await signedIn('Tess Target')
    const added = await call(
      '/auth/organization/member/add',
      { organizationId: id, userId: target.userId, role: 'member' },
      owner.cookie,
    )
    const { id: memberId } = (await added.json()) as { id: string }
    const page = `${desk}/members?search=Tess`
    const openQuestions = (html: string) => [...html.matchAll(/<dialog open=""/g)].length
    const before = await open(page, owner)
    expect(before.html).toContain('<form method="get"><input type="hidden" name="search" value="Tess"/>')
    expect(before.html).toContain(`<input type="hidden" name="confirm" value="remove:${memberId}"/>`)
    expect(openQuestions(before.html)).toBe(0)
    const asked = await open(`${page}&confirm=remove%3A${memberId}`, owner)
    expect([openQuestions(asked.html), asked.html.includes('Remove Tess Target?')]).toEqual([1, true])
    expect((await open(page, owner)).html).toContain(target.email)
    const done = await submit(page, { intent: `remove:${memberId}`, organizationId: id }, owner)
    expect([done.status, await done.text()]).toEqual([200, expect.stringContaining('Member removed. We’ve emailed them.')])
    expect((await open(page, owner)).html).toContain('No member matches')
    const again = await submit(page, { intent: `remove:${memberId}`, organizationId: id }, owner)
    expect(again.status).toBe(400)
  })
})

test('the sub-navigation hides what a role cannot see, and the pages refuse it', async () => {
  const links = (html: string) => [...html.matchAll(/href="\/settings\/organizations\/desk(\/\w+)?"/g)].map(([, page]) => page)
  const all = new Set([undefined, '/members', '/invitations', '/settings', '/activity'])
  expect(new Set(links((await open(desk, owner)).html))).toEqual(all)
  expect(new Set(links((await open(desk, member)).html))).toEqual(new Set([undefined, '/members', '/settings']))
  for (const page of ['invitations', 'activity']) {
    const { status, html } = await open(`${desk}/${page}`, member)
    expect([page, status]).toEqual([page, 403])
    expect(html).not.toMatch(/Olga|@example\.test<\/|created the organization/)
  }
  const settings = await open(`${desk}/settings`, member)
  expect([settings.html.includes('Leave organization'), settings.html.includes('Delete organization')]).toEqual([true, false])
})

test('outsiders get the same missing page for every page of an organization and for an unknown one', async () => {
  const outsider = await signedIn('Otto Outsider')
  for (const slug of ['desk', 'unknown'])
    for (const page of ['', '/members', '/invitations', '/settings', '/activity']) {
      const { status, html } = await open(`/settings/organizations/${slug}${page}`, outsider)
      expect([slug, page, status, html.includes('Olga')]).toEqual([slug, page, 404, false])
    }
})

test('an unknown intent is refused and changes nothing', async () => {
  for (const page of ['?index', '/members', '/invitations', '/settings'])
    expect([page, (await submit(desk + page, { intent: 'sell', organizationId: id }, owner)).status]).toEqual([page, 400])
})
