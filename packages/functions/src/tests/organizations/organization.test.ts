import { randomUUID } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { outcome } from '@floorpass/testing/browser'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { activeOrganizationOf, assemble, found } from '@floorpass/testing/organization'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()

const create = async (fields: Record<string, unknown>) =>
  (await app.signedIn()).post('/auth/organization/create', { name: 'Desk', slug: randomUUID(), ...fields })

describe('organization/create', () => {
  test('makes the caller its owner, and makes it active', async () => {
    const tab = await app.signedIn()
    const logo = 'https://example.test/logo.png'
    const metadata = { desk: { floor: 3 }, tags: ['fx', null] }
    const answer = await tab.post('/auth/organization/create', { name: '  Desk 3 ', slug: ' Desk-3 ', logo, metadata })
    const { id, members } = answer.body as { id: string; members: unknown[] }
    expect(answer.body).toMatchObject({ name: 'Desk 3', slug: 'desk-3', logo, metadata })
    expect(members).toMatchObject([{ organizationId: id, userId: tab.userId, role: 'owner' }])
    expect(await activeOrganizationOf(tab)).toBe(id)
    expect((await tab.get('/auth/organization/list')).body).toMatchObject([{ id, role: 'owner', metadata }])
  })

  test('keeps the active organization on request', async () => {
    const tab = await app.signedIn()
    const { id } = await found(tab)
    await found(tab, { keepCurrentActiveOrganization: true })
    expect(await activeOrganizationOf(tab)).toBe(id)
  })

  test('T137: a slug is unique for everyone, in any case', async () => {
    const { slug } = await found(await app.signedIn())
    expect(outcome(await create({ slug: slug.toUpperCase() }))).toEqual([400, 'ORGANIZATION_ALREADY_EXISTS'])
    const tab = await app.signedIn()
    expect(outcome(await tab.post('/auth/organization/check-slug', { slug }))).toEqual([400, 'ORGANIZATION_SLUG_ALREADY_TAKEN'])
    expect((await tab.post('/auth/organization/check-slug', { slug: `${slug.slice(1)}-x` })).body).toEqual({ status: true })
  })

  test.each([
    ['slug', ['', '-', '-a', 'a-', 'a b', 'a/b', '../a', 'dësk', 'dеsk', 'a_b', 'a.b', 'a'.repeat(65), 'ａ', 7, null]],
    ['slug', ['admin', 'API', 'settings', 'new', 'login', 'floorpass']],
    ['name', ['De\u200bsk', 'De\u202esk', 'De\u2060sk', 'Desk\ufeff1', 'De\u200fsk', 'De\nsk', '\u2800', '!']],
    ['name', ['', '   ', 'x'.repeat(101), 'a\nb', 'a\rb', 'a\u2028b', 'a\u0007b', 'a\u202eb', '…', 7, null]],
    ['logo', ['javascript:alert(1)', 'data:text/html,x', 'nope', 7]],
    ['metadata', ['text', 7, [], { x: 'x'.repeat(4096) }, { x: 'é'.repeat(2048) }]],
  ])('T137: refuses an invalid %s', async (field, values) => {
    const tab = await app.signedIn()
    for (const value of values) {
      const answer = await tab.post('/auth/organization/create', { name: 'Desk', slug: randomUUID(), [field]: value })
      expect([value, ...outcome(answer)]).toEqual([value, 400, 'VALIDATION_ERROR'])
    }
    expect((await tab.get('/auth/organization/list')).body).toEqual([])
  })

  test('T137: returns markup unchanged, as text', async () => {
    const name = '<script>alert(1)</script> & Söhne 🏦'
    expect((await create({ name })).body).toMatchObject({ name })
    expect((await create({ metadata: { x: 'x'.repeat(4000) } })).status).toBe(200)
  })

  test('uses the caller as owner, whatever the body says', async () => {
    const [tab, other] = [await app.signedIn(), await app.signedIn()]
    const { members } = await found(tab, { userId: other.userId, id: 'chosen', role: 'member' })
    expect(members).toMatchObject([{ userId: tab.userId, role: 'owner' }])
    expect((await other.get('/auth/organization/list')).body).toEqual([])
  })

  test('T128: refuses a sixth, until one is deleted or left', async () => {
    const [tab, other] = [await app.signedIn(), await app.signedIn()]
    const first = await found(tab)
    for (let count = 0; count < 3; count += 1) await found(tab)
    const { id: theirs } = await found(other)
    await other.post('/auth/organization/member/add', { organizationId: theirs, userId: tab.userId, role: 'member' })
    await tab.post('/auth/organization/accept-membership', { organizationId: theirs })
    const sixth = () => tab.post('/auth/organization/create', { name: 'Desk', slug: randomUUID() })
    const full = [403, 'YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_ORGANIZATIONS']
    expect(outcome(await sixth())).toEqual(full)
    await tab.post('/auth/organization/delete', { organizationId: first.id })
    expect((await sixth()).status).toBe(200)
    expect(outcome(await sixth())).toEqual(full)
    await tab.post('/auth/organization/leave', { organizationId: theirs })
    expect((await sixth()).status).toBe(200)
    expect(await app.db.organization.count({ where: { members: { none: {} } } })).toBe(0)
  })
})

describe('organization/get', () => {
  test('is null without an id, a slug and an active organization', async () => {
    const tab = await app.signedIn()
    for (const path of ['get', 'get-full-organization'])
      expect(outcome(await tab.get(`/auth/organization/${path}`))).toEqual([200, undefined])
    expect((await tab.get('/auth/organization/get')).body).toBeNull()
  })

  test('finds by slug, by id or the active one, in this order, with members and no secret', async () => {
    const [tab, fellow] = [await app.signedIn(), await app.signedIn()]
    const [active, byId, bySlug] = [await found(tab), await found(tab), await found(tab)]
    await tab.post('/auth/organization/set-active', { organizationId: active.id })
    const nameOf = async (query: string) => ((await tab.get(`/auth/organization/get${query}`)).body as { id: string }).id
    expect(await nameOf('')).toBe(active.id)
    expect(await nameOf(`?organizationId=${byId.id}`)).toBe(byId.id)
    expect(await nameOf(`?organizationId=${byId.id}&organizationSlug=${bySlug.slug}`)).toBe(bySlug.id)

    await tab.post('/auth/organization/member/add', { userId: fellow.userId, role: 'admin' })
    const { members } = (await fellow.get(`/auth/organization/get?organizationId=${active.id}`)).body as { members: object[] }
    const { name, email } = tab.person
    expect(members).toMatchObject([
      { role: 'owner', user: { id: tab.userId, name, email, image: null } },
      { role: 'admin', userId: fellow.userId },
    ])
    expect(Object.keys((members[0] as { user: object }).user)).toEqual(['id', 'name', 'email', 'image'])
    const few = await tab.get(`/auth/organization/get?organizationId=${active.id}&membersLimit=1`)
    expect((few.body as { members: unknown[] }).members).toHaveLength(1)
    for (const limit of ['-1', '101', 'many', '1.5'])
      expect((await tab.get(`/auth/organization/get?membersLimit=${limit}`)).code).toBe('VALIDATION_ERROR')
  })

  test('T10: the slug of a foreign organization answers like an unknown one', async () => {
    const { slug } = await found(await app.signedIn())
    const tab = await app.signedIn()
    const [theirs, none] = await Promise.all(
      [slug, randomUUID()].map((named) => tab.get(`/auth/organization/get?organizationSlug=${named}`)),
    )
    expect([theirs?.status, theirs?.body]).toEqual([none?.status, none?.body])
    expect(theirs?.code).toBe('ORGANIZATION_NOT_FOUND')
  })
})

describe('organization/update', () => {
  test('changes the named fields, of the active organization by default', async () => {
    const tab = await app.signedIn()
    const { id, slug } = await found(tab, { metadata: { a: 1 }, logo: 'https://example.test/a.png' })
    const update = (data: object) => tab.post('/auth/organization/update', { data })
    expect((await update({ name: 'Two' })).body).toMatchObject({ id, name: 'Two', slug, metadata: { a: 1 } })
    expect((await update({ metadata: { b: 2 }, logo: null })).body).toMatchObject({ name: 'Two', metadata: { b: 2 }, logo: null })
    expect((await update({ slug: `X${slug.slice(1)}` })).body).toMatchObject({ slug: `x${slug.slice(1)}` })
    expect(outcome(await update({}))).toEqual([200, undefined])
    for (const data of [{ name: '' }, { slug: 'admin' }, { name: null }, { metadata: null }, { id: 'x', slug: 'a b' }])
      expect([data, (await update(data)).code]).toEqual([data, 'VALIDATION_ERROR'])
    expect((await update({ id: 'x', createdAt: new Date(0) })).body).toMatchObject({ id })
  })

  test('refuses a taken slug, accepts its own, and needs an organization', async () => {
    const [tab, other] = [await app.signedIn(), await app.signedIn()]
    const { slug: taken } = await found(other)
    const { slug } = await found(tab)
    const update = (data: object) => tab.post('/auth/organization/update', { data })
    expect(outcome(await update({ slug: taken }))).toEqual([400, 'ORGANIZATION_SLUG_ALREADY_TAKEN'])
    expect((await update({ slug })).status).toBe(200)
    await tab.post('/auth/organization/set-active', { organizationId: null })
    expect(outcome(await update({ name: 'x' }))).toEqual([400, 'NO_ACTIVE_ORGANIZATION'])
  })
})

describe('organization/delete', () => {
  test('deletes members and invitations, and clears the active organization of every session', async () => {
    const [tab, fellow] = [await app.signedIn(), await app.signedIn()]
    const { id } = await found(tab)
    await tab.post('/auth/organization/member/add', { userId: fellow.userId, role: 'member' })
    await fellow.post('/auth/organization/set-active', { organizationId: id })
    await tab.post('/auth/organization/invite-member', { email: app.person().email, role: 'member' })
    const kept = await found(await app.signedIn())
    const answer = await tab.post('/auth/organization/delete', { organizationId: id })
    expect(answer.body).toMatchObject({ id, name: 'Desk' })
    expect([await activeOrganizationOf(tab), await activeOrganizationOf(fellow)]).toEqual([null, null])
    expect(await app.db.member.count({ where: { organizationId: id } })).toBe(0)
    expect(await app.db.invitation.count({ where: { organizationId: id } })).toBe(0)
    expect(await app.db.organization.count({ where: { id: kept.id } })).toBe(1)
    const events = await app.db.auditEvent.findMany({ where: { organizationId: id }, orderBy: { id: 'asc' } })
    expect(events.slice(0, 4).map(({ action }) => action)).toEqual([
      'create-organization',
      'add-member',
      'accept-membership',
      'invite-member',
    ])
    // Each member gets an event.
    const told = events.slice(4).map(({ action, userId, actorId }) => [action, userId, actorId])
    expect(new Map(told.map(([, userId, actorId]) => [userId, actorId]))).toEqual(
      new Map([
        [tab.userId, null],
        [fellow.userId, tab.userId],
      ]),
    )
    expect(told.map(([action]) => action)).toEqual(['delete-organization', 'delete-organization'])
  })
})

describe('organization/set-active', () => {
  test('applies to one session: other devices and the next sign-in keep their own', async () => {
    const tab = await app.signedIn()
    const { id, slug } = await found(tab)
    const other = app.browser()
    await other.post('/auth/sign-in/email', tab.person)
    expect((await other.get('/auth/get-session')).body).toMatchObject({ session: { activeOrganizationId: null } })
    expect((await other.post('/auth/organization/set-active', { organizationSlug: slug })).body).toMatchObject({
      id,
      members: [{}],
    })
    expect((await tab.post('/auth/organization/set-active', { organizationId: null })).body).toBeNull()
    expect((await other.get('/auth/get-session')).body).toMatchObject({ session: { activeOrganizationId: id } })
    expect(await activeOrganizationOf(tab)).toBeNull()
  })

  test('T10: refuses a foreign organization and changes nothing', async () => {
    const [tab, other] = [await app.signedIn(), await app.signedIn()]
    const [{ id }, theirs] = [await found(tab), await found(other)]
    for (const fields of [{ organizationId: theirs.id }, { organizationSlug: theirs.slug }, { organizationId: randomUUID() }])
      expect((await tab.post('/auth/organization/set-active', fields)).code).toBe('ORGANIZATION_NOT_FOUND')
    const { body } = await tab.post('/auth/organization/set-active', {})
    expect(body).toEqual({
      code: 'VALIDATION_ERROR',
      message: expect.stringContaining('Provide organizationId or organizationSlug'),
    })
    expect(await activeOrganizationOf(tab)).toBe(id)
  })
})

test('T137: an organization has at most a hundred members', async () => {
  const owner = await app.signedIn()
  const { id } = await assemble(app, [[owner, 'owner']])
  await app.db.user.createMany({
    data: Array.from({ length: 99 }, (_, count) => ({ id: `many-${count}`, name: 'Many', email: `many-${count}@example.test` })),
  })
  await app.db.member.createMany({
    data: Array.from({ length: 99 }, (_, count) => ({ organizationId: id, userId: `many-${count}`, role: 'member', slot: 1 })),
  })
  const { userId } = await app.signedIn()
  const answer = await owner.post('/auth/organization/member/add', { organizationId: id, userId, role: 'member' })
  expect(outcome(answer)).toEqual([403, 'ORGANIZATION_MEMBERSHIP_LIMIT_REACHED'])
})

test('changes, slug checks and invitations have separate limits', async () => {
  const limited = await createTestApp({ RATE_LIMIT: 'on' })
  const tab = await limited.signedIn()
  const { id: organizationId } = await found(tab)
  const codes = async (times: number, path: string, fields: (count: number) => object) => {
    const answers = []
    for (let count = 0; count < times; count += 1) answers.push(await tab.post(`/auth/organization/${path}`, fields(count)))
    return answers.filter(({ code }) => code === 'TOO_MANY_REQUESTS').length
  }
  expect(await codes(33, 'check-slug', () => ({ slug: 'free' }))).toBe(3)
  expect(
    await codes(7, 'invite-member', () => ({ organizationId, email: 'one@example.test', role: 'member', resend: true })),
  ).toBe(2)
  expect(await codes(25, 'invite-member', (count) => ({ organizationId, email: `p${count}@example.test`, role: 'member' }))).toBe(
    2,
  )
  // The creation was the first change.
  expect(await codes(61, 'update', () => ({ organizationId, data: {} }))).toBe(2)
})

test('refuses the name of a page as a slug', async () => {
  const files = await readdir(new URL('../../../../../apps/web/app/routes', import.meta.url))
  const pages = files.flatMap((file) => file.match(/^(?:_[a-z]+\.)?([a-z][a-z-]*)\./)?.[1] ?? [])
  expect(pages).toEqual(expect.arrayContaining(['forgot-password', 'two-factor', 'undo-email-change', 'logout', 'settings']))
  const tab = await app.signedIn()
  for (const slug of new Set([...pages, 'auth', 'trpc', 'dev', 'healthz', 'assets']))
    expect([slug, (await tab.post('/auth/organization/check-slug', { slug })).code]).toEqual([slug, 'VALIDATION_ERROR'])
})
