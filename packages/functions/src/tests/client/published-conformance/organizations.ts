import { randomUUID } from 'node:crypto'
import { outcome } from '@floorpass/testing/browser'
import { activeOrganizationOf, assemble, found } from '@floorpass/testing/organization'
import { describe, expect, test } from 'vitest'
import { app, differs } from './suite.ts'

type Tab = Awaited<ReturnType<typeof app.signedIn>>
const call = (tab: Tab, path: string, body: object = {}) => tab.post(`/auth/organization/${path}`, body)
const read = (tab: Tab, path: string, query: Record<string, string> = {}) =>
  tab.get(`/auth/organization/${path}?${new URLSearchParams(query)}`)

const [owner, outsider] = [await app.signedIn(), await app.signedIn()]
const first = await found(owner, { name: 'First desk', metadata: { plan: 'pro' } })
const second = await found(owner, { name: 'Second desk' })

describe('an organization (plugins/organization/organization, routes/crud-org)', () => {
  test('is created with its metadata and its owner, and becomes active', async () => {
    const tab = await app.signedIn()
    const answer = await call(tab, 'create', { name: 'Desk', slug: randomUUID(), metadata: { test: 'test' } })
    expect(answer.body).toMatchObject({
      name: 'Desk',
      metadata: { test: 'test' },
      members: [{ role: 'owner', userId: tab.userId }],
    })
    expect(await activeOrganizationOf(tab)).toBe((answer.body as { id: string }).id)
    expect((await read(tab, 'list')).body).toHaveLength(1)
  })

  test('has a slug that no other one has', async () => {
    expect((await call(owner, 'check-slug', { slug: randomUUID() })).body).toEqual({ status: true })
    expect(outcome(await call(owner, 'check-slug', { slug: first.slug }))).toEqual([400, 'ORGANIZATION_SLUG_ALREADY_TAKEN'])
    const renaming = await call(owner, 'update', { organizationId: second.id, data: { slug: first.slug } })
    expect(outcome(renaming)).toEqual([400, 'ORGANIZATION_SLUG_ALREADY_TAKEN'])
  })

  test.each([{ slug: '' }, { name: '' }])('is neither created nor changed with %o', async (fields) => {
    expect((await call(owner, 'create', { name: 'Desk', slug: randomUUID(), ...fields })).status).toBe(400)
    expect((await call(owner, 'update', { organizationId: first.id, data: fields })).status).toBe(400)
  })

  test('changes its name, its metadata and its logo', async () => {
    const tab = await app.signedIn()
    const logo = 'https://pictures.example.test/logo.png'
    const { id } = await found(tab, { logo })
    const change = async (data: object) => (await call(tab, 'update', { organizationId: id, data })).body
    expect(await change({ name: 'Renamed' })).toMatchObject({ name: 'Renamed', logo })
    expect(await change({ metadata: { test: 'test2' } })).toMatchObject({ metadata: { test: 'test2' } })
    expect(await change({ logo: null })).toMatchObject({ logo: null })
    expect(await found(await app.signedIn(), { logo: null })).toMatchObject({ logo: null })
  })

  test('becomes active by its id or its slug', async () => {
    expect((await call(owner, 'set-active', { organizationId: first.id })).body).toMatchObject({ id: first.id })
    expect(await activeOrganizationOf(owner)).toBe(first.id)
    await call(owner, 'set-active', { organizationSlug: second.slug })
    expect(await activeOrganizationOf(owner)).toBe(second.id)
  })

  test('is deleted by its owner', async () => {
    const tab = await app.signedIn()
    const { id } = await found(tab)
    expect((await call(tab, 'delete', { organizationId: id })).status).toBe(200)
    expect((await read(tab, 'get-full-organization', { organizationId: id })).status).toBe(400)
    expect((await read(tab, 'list')).body).toEqual([])
  })

  const unknown = 'Status of an organization that is unknown or that the caller is no member of'
  differs(unknown, 'is not found by an outsider who deletes it', async () => {
    expect(outcome(await call(outsider, 'delete', { organizationId: first.id }))).toEqual([400, 'ORGANIZATION_NOT_FOUND'])
  })
  differs(unknown, 'is not found by an outsider who lists its members', async () => {
    expect(outcome(await read(outsider, 'list-members', { organizationId: first.id }))).toEqual([400, 'ORGANIZATION_NOT_FOUND'])
  })
  describe.each(['get-full-organization', 'get-organization'])('read by %s', (path) => {
    test('is found by its id, by its slug before the id, or as the active one', async () => {
      await call(owner, 'set-active', { organizationId: second.id })
      const idBy = async (query: Record<string, string>) => ((await read(owner, path, query)).body as { id: string }).id
      expect(await idBy({ organizationId: first.id })).toBe(first.id)
      expect(await idBy({ organizationSlug: first.slug })).toBe(first.id)
      expect(await idBy({ organizationId: first.id, organizationSlug: second.slug })).toBe(second.id)
      expect(await idBy({})).toBe(second.id)
    })

    test('is null when none is named or active', async () => {
      await call(owner, 'set-active', { organizationId: null })
      const answer = await read(owner, path)
      expect([answer.status, answer.body]).toEqual([200, null])
    })

    test('is not found under an unknown id', async () => {
      expect(outcome(await read(owner, path, { organizationId: 'unknown' }))).toEqual([400, 'ORGANIZATION_NOT_FOUND'])
    })

    differs(unknown, 'is not found by an outsider', async () => {
      expect(outcome(await read(outsider, path, { organizationId: first.id }))).toEqual([400, 'ORGANIZATION_NOT_FOUND'])
    })
  })

  test('shows members and invitations in full, and neither of them alone', async () => {
    const tab = await app.signedIn()
    const { id } = await assemble(app, [
      [tab, 'owner'],
      [await app.signedIn(), 'member'],
    ])
    await call(tab, 'set-active', { organizationId: id })
    const { email } = app.person()
    await call(tab, 'invite-member', { email, role: 'member' })
    const full = (await read(tab, 'get-full-organization')).body as Record<string, unknown>
    expect(full).toMatchObject({ id, members: [{ role: 'owner' }, { role: 'member' }], invitations: [{ email, role: 'member' }] })
    expect((await read(tab, 'get-full-organization', { membersLimit: '1' })).body).toMatchObject({ members: [expect.anything()] })
    const { members: _, invitations: __, ...alone } = full
    expect((await read(tab, 'get-organization')).body).toEqual(alone)
  })
})

describe('permissions (plugins/organization/organization, plugins/access)', () => {
  test.each([
    [{ member: ['update'] }, true],
    [{ member: ['update'], invitation: ['create'] }, true],
    [{ member: ['update'], unknown: ['create'] }, false],
    [{ member: [] }, false],
    [{}, false],
  ])('of an owner for %o: %s', async (permissions, success) => {
    const { body } = await call(owner, 'has-permission', { permissions, organizationId: first.id })
    expect(body).toMatchObject({ success })
  })
})
