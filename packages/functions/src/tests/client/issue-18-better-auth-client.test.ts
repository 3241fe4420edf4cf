import { randomUUID } from 'node:crypto'
import { switchOnTwoFactor } from '@floorpass/testing/authenticator'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { startGitHub } from '@floorpass/testing/github-stand-in'
import { createAuthClient } from 'better-auth/client'
import { organizationClient, twoFactorClient } from 'better-auth/client/plugins'
import { afterAll, describe, expect, test } from 'vitest'

const github = await startGitHub('http://localhost:3000/auth/callback/github')
afterAll(() => github.close())
const app = await createTestApp(github.environment)

/** better-auth's own client in this browser. */
const clientIn = (tab: { fetch: typeof fetch }) =>
  createAuthClient({
    baseURL: app.baseUrl,
    basePath: '/auth',
    plugins: [organizationClient(), twoFactorClient()],
    fetchOptions: { customFetchImpl: tab.fetch },
  })

async function signedInClient() {
  const tab = await app.signedIn()
  return { tab, client: clientIn(tab) }
}

/** The status and code of a refusal, or undefined. */
const refusalOf = async (call: Promise<{ error: { status: number; code?: string | undefined } | null }>) => {
  const { error } = await call
  return error ? [error.status, error.code] : undefined
}

describe("better-auth's client", () => {
  test('refuses a sign-up without a name, and says which field is missing', async () => {
    const client = clientIn(app.browser())
    const { email, password } = app.person()
    const { error } = await client.signUp.email({ name: '', email, password })
    expect(error).toMatchObject({ status: 400, code: 'VALIDATION_ERROR', message: expect.stringContaining('[body.name]') })
    expect(await app.db.user.count({ where: { email } })).toBe(0)
  })

  test('resets the password with the token in the query', async () => {
    const { email } = await app.verified()
    const client = clientIn(app.browser())
    await client.requestPasswordReset({ email })
    await app.drainMail()
    const { token } = app.outbox.lastTo(email)
    const newPassword = 'violet harbor ladder'
    expect(await refusalOf(client.resetPassword({ newPassword, fetchOptions: { query: { token: 'nonsense' } } }))).toEqual([
      400,
      'INVALID_TOKEN',
    ])
    expect(await refusalOf(client.resetPassword({ newPassword }))).toEqual([400, 'VALIDATION_ERROR'])
    expect(await client.resetPassword({ newPassword, fetchOptions: { query: { token } } })).toEqual({
      data: { status: true },
      error: null,
    })
    expect((await client.signIn.email({ email, password: newPassword })).error).toBeNull()
  })

  test('never sends a new password in the query', async () => {
    const { email } = await app.verified()
    const browser = app.browser()
    await browser.post('/auth/forget-password', { email })
    await app.drainMail()
    const query = new URLSearchParams({ token: app.outbox.lastTo(email).token, newPassword: 'violet harbor ladder' })
    expect((await browser.post(`/auth/reset-password?${query}`)).code).toBe('VALIDATION_ERROR')
  })

  test('ends a sign-in after five wrong codes: the sixth answer takes the cookie away', async () => {
    const { tab } = await signedInClient()
    const { email, password } = tab.person
    await switchOnTwoFactor(tab, password)
    const browser = app.browser()
    const client = clientIn(browser)
    await client.signIn.email({ email, password })
    const guess = () => refusalOf(client.twoFactor.verifyTotp({ code: '000000' }))
    for (let count = 0; count < 5; count += 1) expect(await guess()).toEqual([401, 'INVALID_CODE'])
    expect(browser.cookies.has('floorpass_two_factor')).toBe(true)
    expect(await guess()).toEqual([400, 'TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE'])
    expect(browser.cookies.has('floorpass_two_factor')).toBe(false)
    expect(await guess()).toEqual([401, 'INVALID_TWO_FACTOR_COOKIE'])
  })
})

describe('additional parameters of a social sign-in and of a link', () => {
  const methods = {
    'signIn.social': async () => clientIn(app.browser()).signIn.social,
    linkSocial: async () => (await signedInClient()).client.linkSocial,
  }

  test.each(Object.entries(methods))('%s adds them to the address of the provider', async (_, open) => {
    const start = await open()
    const { data, error } = await start({
      provider: 'github',
      scopes: ['repo'],
      loginHint: 'ada',
      requestSignUp: true,
      additionalData: { campaign: 'spring' },
      additionalParams: { allow_signup: 'false', 'x-other': 'a b&c', login: 'eve' },
      disableRedirect: true,
    })
    expect(error).toBeNull()
    const { searchParams } = new URL(data?.url ?? '')
    expect(searchParams.get('allow_signup')).toBe('false')
    expect(searchParams.get('x-other')).toBe('a b&c')
    expect(searchParams.getAll('login'), 'adds, never replaces').toEqual(['ada'])
    expect(searchParams.get('scope')).toContain('repo')
    expect(searchParams.has('campaign')).toBe(false)
  })

  test.each(Object.entries(methods))('%s refuses those that lead elsewhere or change the flow', async (_, open) => {
    const start = await open()
    const reserved = `client_id client_secret redirect_uri response_type response_mode scope state nonce code_challenge
      code_challenge_method claims max_age registration request request_uri REDIRECT_URI`
    const before = await app.db.verification.count()
    for (const name of reserved.split(/\s+/)) {
      const additionalParams = { [name]: 'https://evil.test' }
      expect([name, await refusalOf(start({ provider: 'github', additionalParams }))]).toEqual([name, [400, 'VALIDATION_ERROR']])
    }
    const many = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`p${index}`, 'x']))
    for (const additionalParams of [many, { '': 'x' }, { x: 'y'.repeat(501) }, { x: 7 }, 'x', null])
      expect(await refusalOf(start({ provider: 'github', additionalParams: additionalParams as never }))).toEqual([
        400,
        'VALIDATION_ERROR',
      ])
    expect(await app.db.verification.count()).toBe(before)
  })

  test('the GET link ignores additionalParams and scopes', async () => {
    const query = 'provider=github&additionalParams=x&scopes=repo'
    const { status, headers } = await app.browser().get(`/auth/sign-in/social?${query}`)
    expect([status, headers.get('location')]).toEqual([302, expect.not.stringMatching(/repo|additional/)])
  })
})

describe('an organization', async () => {
  /** A founder with an admin and two members, the last one a day later. */
  async function foundDesk() {
    const { tab, client } = await signedInClient()
    const { data } = await client.organization.create({ name: 'Desk', slug: randomUUID() })
    const organizationId = data?.id ?? ''
    const userIds = [tab.userId]
    for (const role of ['admin', 'member', 'member'] as const) {
      const { userId } = await app.signedIn()
      await tab.post('/auth/organization/member/add', { organizationId, userId, role })
      userIds.push(userId)
    }
    const tomorrow = new Date(Date.now() + 86_400_000)
    await app.db.member.updateMany({ where: { organizationId, userId: userIds[3] ?? '' }, data: { createdAt: tomorrow } })
    return { tab, client, organizationId, userIds, tomorrow }
  }
  const desk = await foundDesk()
  const [owner = '', admin = '', first = '', last = ''] = desk.userIds

  type Query = NonNullable<Parameters<typeof desk.client.organization.listMembers>[0]>['query']
  const list = (query: Query) => desk.client.organization.listMembers({ query })
  const userIds = async (query: Query) => {
    const { data, error } = await list(query)
    expect(error).toBeNull()
    expect(data?.total).toBe(data?.members.length)
    return data?.members.map(({ userId }) => userId)
  }

  test('is read without its members by getOrganization', async () => {
    const { client, organizationId } = desk
    const organization = (client.organization as unknown as Record<string, typeof client.organization.getFullOrganization>)
      .getOrganization
    const { data } = (await organization?.()) ?? {}
    expect(data).toMatchObject({ id: organizationId, name: 'Desk' })
    expect(Object.keys(data ?? {}).sort()).toEqual(['createdAt', 'id', 'logo', 'metadata', 'name', 'slug'])
    const other = await signedInClient()
    const theirs = (other.client.organization as unknown as Record<string, typeof client.organization.getFullOrganization>)
      .getOrganization
    expect(await theirs?.()).toEqual({ data: null, error: null })
    expect(await refusalOf(theirs?.({ query: { organizationId } }) as never)).toEqual([400, 'ORGANIZATION_NOT_FOUND'])
  })

  test.each<[string, Query, string[]]>([
    ['eq', { filterField: 'role', filterValue: 'member', filterOperator: 'eq' }, [first, last]],
    ['no operator', { filterField: 'userId', filterValue: admin }, [admin]],
    ['ne', { filterField: 'role', filterValue: 'member', filterOperator: 'ne' }, [owner, admin]],
    ['in', { filterField: 'role', filterValue: ['owner', 'admin'], filterOperator: 'in' }, [owner, admin]],
    ['in with one value', { filterField: 'role', filterValue: ['owner'], filterOperator: 'in' }, [owner]],
    ['not_in', { filterField: 'userId', filterValue: [owner, last], filterOperator: 'not_in' }, [admin, first]],
    ['contains', { filterField: 'role', filterValue: 'mb', filterOperator: 'contains' }, [first, last]],
    ['starts_with', { filterField: 'role', filterValue: 'ad', filterOperator: 'starts_with' }, [admin]],
    ['ends_with', { filterField: 'role', filterValue: 'er', filterOperator: 'ends_with' }, [owner, first, last]],
    ['a wildcard, which is text', { filterField: 'role', filterValue: '%', filterOperator: 'contains' }, []],
    ['another wildcard', { filterField: 'role', filterValue: 'a_min', filterOperator: 'contains' }, []],
    ['gt', { filterField: 'createdAt', filterValue: new Date().toISOString(), filterOperator: 'gt' }, [last]],
    ['gte', { filterField: 'createdAt', filterValue: desk.tomorrow.toISOString(), filterOperator: 'gte' }, [last]],
    ['lt', { filterField: 'createdAt', filterValue: desk.tomorrow.toISOString(), filterOperator: 'lt' }, [owner, admin, first]],
    ['lte', { filterField: 'createdAt', filterValue: '2000-01-01T00:00:00+02:00', filterOperator: 'lte' }, []],
    ['eq of a date', { filterField: 'createdAt', filterValue: desk.tomorrow.toISOString(), filterOperator: 'eq' }, [last]],
    [
      'ne of a date',
      { filterField: 'createdAt', filterValue: desk.tomorrow.toISOString(), filterOperator: 'ne' },
      [owner, admin, first],
    ],
  ])('lists the members that a filter selects: %s', async (_, query, expected) => {
    expect(await userIds(query)).toEqual(expected)
  })

  test.each<[string, Query]>([
    ['a field that members do not have', { filterField: 'password', filterValue: 'x' }],
    ['a field of the user', { filterField: 'user.email', filterValue: 'x' }],
    ['an operator that does not exist', { filterField: 'role', filterValue: 'x', filterOperator: 'like' as never }],
    ['an order of text', { filterField: 'role', filterValue: 'x', filterOperator: 'gt' }],
    ['a part of a date', { filterField: 'createdAt', filterValue: '2026', filterOperator: 'contains' }],
    ['a date in words', { filterField: 'createdAt', filterValue: 'yesterday', filterOperator: 'gt' }],
    ['a number as a date', { filterField: 'createdAt', filterValue: 5, filterOperator: 'gt' }],
    ['several values for one', { filterField: 'role', filterValue: ['owner', 'admin'], filterOperator: 'eq' }],
    ['no value', { filterField: 'role' }],
    ['a long value', { filterField: 'role', filterValue: 'x'.repeat(65) }],
  ])('refuses a filter with %s', async (_, query) => {
    expect(await refusalOf(list(query))).toEqual([400, 'VALIDATION_ERROR'])
  })
})
