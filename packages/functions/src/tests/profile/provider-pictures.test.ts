import { randomUUID } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { closeAfterFile } from '@floorpass/testing/close-after-file'
import { createSocialApp } from '@floorpass/testing/create-social-app'
import { eventually } from '@floorpass/testing/eventually'
import { linkAt, signInAt, userIn } from '@floorpass/testing/social-flow'
import { holdTimeouts, shortenTimeouts } from '@floorpass/testing/timeouts'
import sharp from 'sharp'
import { beforeEach, describe, expect, test } from 'vitest'

const picture = await sharp({ create: { width: 96, height: 96, channels: 3, background: '#ff0000' } })
  .jpeg()
  .toBuffer()

/** Paths that were asked for. */
let requests: string[] = []
let release: (() => void) | undefined
const answers: Record<string, (response: ServerResponse) => void> = {
  '/me.jpg': (response) => response.end(picture),
  '/html': (response) => response.writeHead(200, { 'content-type': 'image/jpeg' }).end('<!doctype html>'),
  '/gone': (response) => response.writeHead(404).end(picture),
  '/redirect': (response) => response.writeHead(302, { location: '/me.jpg' }).end(),
  '/away': (response) => response.writeHead(302, { location: `${internal}/secret` }).end(),
  '/flood': (response) => {
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(256 * 1024)));
    }
    response.on('drain', more)
    more()
  },
  '/silence': () => {},
  '/later': (response) => {
    release = () => void response.end(picture)
  },
}
async function serve(prefix = ''): Promise<string> {
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    requests.push(prefix + path)
    const answer = answers[path]
    if (answer) answer(response)
    else response.writeHead(500).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closeAfterFile(() => new Promise<void>((resolve) => void server.close(() => resolve()).closeAllConnections()))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
const allowed = await serve()
const internal = await serve('internal:')
const { app, google, github } = await createSocialApp({ PICTURE_ORIGINS: allowed })

beforeEach(() => {
  requests = []
})

/** A user who signed in with Google, whose claim names this address. */
async function signedInAtGoogle(address: string | undefined) {
  const sub = randomUUID()
  google.person = { sub, email: `${sub}@example.test`, email_verified: true, name: 'Ada', ...(address && { picture: address }) }
  const { tab } = await signInAt(app, 'google')
  const user = await userIn(tab)
  return { ...tab, userId: user?.id ?? '' }
}

const take = (tab: Pick<Awaited<ReturnType<typeof signedInAtGoogle>>, 'post'>, providerId = 'google') =>
  tab.post('/auth/take-provider-picture', { providerId })
const rowsOf = ({ userId }: { userId: string }) => app.db.profilePicture.findMany({ where: { userId } })

describe('take-provider-picture', () => {
  test('copies the picture of the linked account when the user asks, not before', async () => {
    const tab = await signedInAtGoogle(`${allowed}/me.jpg`)
    expect(requests).toEqual([])
    const answer = await take(tab)
    expect([answer.status, requests]).toEqual([200, ['/me.jpg']])
    const { image } = answer.body as { image: string }
    expect(await userIn(tab)).toMatchObject({ image: expect.stringMatching(/\/auth\/pictures\/[\w-]{43}\.webp$/) })
    expect((await tab.get(image)).status).toBe(200)
    expect(await app.db.auditEvent.findMany({ where: { userId: tab.userId, action: 'update-user' } })).toMatchObject([
      { details: { fields: 'image' } },
    ])
  })

  test('copies the picture of a linked GitHub account, as it was at the last sign-in', async () => {
    const tab = await app.signedIn()
    const id = Math.trunc(Math.random() * 1e9)
    const person = { id, login: 'ada', emails: [{ email: tab.person.email, primary: true, verified: true }] }
    await github.set({ person: { ...person, avatar_url: `${allowed}/gone` } })
    await linkAt(app, 'github', tab)
    expect((await take(tab, 'github')).code).toBe('PROVIDER_UNAVAILABLE')
    await github.set({ person: { ...person, avatar_url: `${allowed}/me.jpg` } })
    await signInAt(app, 'github')
    expect((await take(tab, 'github')).status).toBe(200)
    expect(await rowsOf(tab)).toHaveLength(1)
  })

  test('works only while the account is linked', async () => {
    const tab = await app.signedIn()
    const sub = randomUUID()
    google.person = { sub, email: tab.person.email, email_verified: true, name: 'Ada', picture: `${allowed}/me.jpg` }
    expect((await take(tab)).code).toBe('ACCOUNT_NOT_FOUND')
    await linkAt(app, 'google', tab)
    expect((await take(tab)).status).toBe(200)
    await tab.post('/auth/unlink-account', { providerId: 'google' })
    expect((await take(tab)).code).toBe('ACCOUNT_NOT_FOUND')
    expect(await rowsOf(tab)).toHaveLength(1)
  })

  test('stores nothing when the account is unlinked while its picture loads', async () => {
    const tab = await app.signedIn()
    google.person = { sub: randomUUID(), email: tab.person.email, email_verified: true, name: 'Ada', picture: `${allowed}/later` }
    await linkAt(app, 'google', tab)
    const taken = take(tab)
    await eventually(() => expect(requests).toEqual(['/later']))
    await tab.post('/auth/unlink-account', { providerId: 'google' })
    release?.()
    expect((await taken).code).toBe('ACCOUNT_NOT_FOUND')
    expect(await rowsOf(tab)).toEqual([])
  })

  test('refuses a signed-out caller and an unknown provider', async () => {
    expect((await take(app.browser())).code).toBe('UNAUTHORIZED')
    const tab = await signedInAtGoogle(`${allowed}/me.jpg`)
    expect((await take(tab, 'credential')).code).toBe('VALIDATION_ERROR')
    expect(requests).toEqual([])
  })

  test.each([
    ['another port of this machine', () => `${internal}/me.jpg`],
    ['the allowed host over https', () => `${allowed.replace('http:', 'https:')}/me.jpg`],
    [
      'the allowed host as a user name',
      () => `http://${allowed.slice('http://'.length)}@127.0.0.1:${new URL(internal).port}/me.jpg`,
    ],
    ['the metadata service of a cloud', () => 'http://169.254.169.254/latest/meta-data'],
    ['a name below the allowed one', () => 'https://lh3.googleusercontent.com.evil.test/me.jpg'],
    ['a file', () => 'file:///etc/passwd'],
    ['a data URL', () => `data:image/jpeg;base64,${picture.toString('base64')}`],
    ['no URL', () => '/me.jpg'],
    ['no claim', () => undefined],
  ])('loads nothing from %s', async (_what, address) => {
    const tab = await signedInAtGoogle(address())
    const answer = await take(tab)
    expect([answer.status, answer.code, requests]).toEqual([404, 'PICTURE_NOT_FOUND', []])
    expect(await rowsOf(tab)).toEqual([])
  })

  test.each([
    ['/redirect', 503, 'PROVIDER_UNAVAILABLE'],
    ['/away', 503, 'PROVIDER_UNAVAILABLE'],
    ['/gone', 503, 'PROVIDER_UNAVAILABLE'],
    ['/flood', 503, 'PROVIDER_UNAVAILABLE'],
    ['/unknown', 503, 'PROVIDER_UNAVAILABLE'],
    ['/html', 400, 'INVALID_PICTURE'],
  ])('an answer of %s is refused, and nothing else is loaded', async (path, status, code) => {
    const tab = await signedInAtGoogle(`${allowed}${path}`)
    // The answer decides, not the limit of five seconds.
    holdTimeouts()
    const answer = await take(tab)
    expect([answer.status, answer.code, requests]).toEqual([status, code, [path]])
    expect(await rowsOf(tab)).toEqual([])
  })

  test('waits 5 seconds for a provider', async () => {
    const tab = await signedInAtGoogle(`${allowed}/silence`)
    const timeout = shortenTimeouts()
    expect((await take(tab)).code).toBe('PROVIDER_UNAVAILABLE')
    expect(timeout.mock.calls).toEqual([[5_000]])
  })

  test('counts to the same limit as uploads', async () => {
    const limited = await createSocialApp({ PICTURE_ORIGINS: allowed, RATE_LIMIT: 'on' })
    const tab = await limited.app.signedIn()
    for (let count = 0; count < 20; count += 1) expect((await take(tab)).code).toBe('ACCOUNT_NOT_FOUND')
    expect((await take(tab)).code).toBe('TOO_MANY_REQUESTS')
  })

  test('the export names the address that the provider gave', async () => {
    const tab = await signedInAtGoogle(`${allowed}/me.jpg`)
    expect((await tab.get('/auth/export-data')).body).toMatchObject({ accounts: [{ pictureUrl: `${allowed}/me.jpg` }] })
  })
})

describe('the offer of a picture', () => {
  test('names the linked providers whose picture may be loaded', async () => {
    const offered = async (tab: Awaited<ReturnType<typeof signedInAtGoogle>>) =>
      ((await tab.get('/trpc/profile.listPictureProviders')).body as { result: { data: string[] } }).result.data
    expect(await offered(await signedInAtGoogle(`${allowed}/me.jpg`))).toEqual(['google'])
    expect(await offered(await signedInAtGoogle(`${internal}/me.jpg`))).toEqual([])
    expect(await offered(await signedInAtGoogle(undefined))).toEqual([])
  })
})
