import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { catalogue, type ErrorKey } from '@floorpass/api'
import { csvAnswer, eventStreamAnswer, webpAnswer } from '@floorpass/api/contracts'
import { createFloorpassClient } from '@floorpass/client'
import { freePort } from '@floorpass/reliability'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { listen } from '@floorpass/testing/listen'
import { addresses, addressOf, everyProvider, routeSamples, type SignedIn, serviceKey } from '@floorpass/testing/route-samples'
import { afterAll, describe, expect, test } from 'vitest'
import { describeFields } from '../../reference/describe-fields.ts'
import { accessNotes, groups, noteOf } from '../../reference/notes.ts'

/** Answers that are no JSON. */
const texts: unknown[] = [csvAnswer, webpAnswer, eventStreamAnswer]
const port = await freePort()
const app = await createTestApp({ ...everyProvider, SERVICE_KEYS: serviceKey })
await listen(app.edge, port)
const samples = routeSamples(app)
const run = promisify(execFile)
const folder = await mkdtemp(join(tmpdir(), 'floorpass-reference-'))
afterAll(() => rm(folder, { recursive: true }))
// curl reads it: the examples name BASE_URL, and the test serves another port.
await writeFile(join(folder, '.curlrc'), `connect-to = "localhost:3000:127.0.0.1:${port}"\nnoproxy = "*"\nsilent\n`)
const shell = { cwd: folder, env: { ...process.env, CURL_HOME: folder } }

type Content = { schema: { properties?: Record<string, { description?: string }> }; example?: unknown }
type Operation = {
  operationId: string
  summary: string
  description: string
  parameters?: { name: string; description?: string; required?: boolean; example?: unknown }[]
  requestBody?: { content: Record<string, Content> }
  responses: Record<string, { content?: Record<string, Content & { examples?: Record<string, unknown> }> }>
  'x-codeSamples': { label: string; source: string }[]
}

type Member = { id: string; organizationId: string; userId: string; user?: { id: string } }
type Organization = { id: string; name: string; members?: Member[] }

const document = (await app.browser().get('/auth/openapi.json')).body as { paths: Record<string, Record<string, Operation>> }
const page = await app.browser({ origin: null }).get('/auth/reference')
const html = String(page.body)
function readEntities(escaped: string): string {
  const characters: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' }
  return escaped.replaceAll(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => characters[name] ?? '')
}

const operationOf = ({ method, path }: { method: string; path: string }): Operation =>
  document.paths[`/auth${path}`]?.[method.toLowerCase()] as Operation

/** The part of the page about one route. */
const articleOf = (id: string): string =>
  readEntities(html.match(new RegExp(`<article id="${id}">.*?</article>`, 's'))?.[0] ?? '')

const routesOnce = addresses.filter(({ path, aliases }) => !aliases.includes(path))
const refusals = ({ responses }: Operation) => Object.entries(responses).filter(([status]) => /^[45]/.test(status))

describe('the reference page', () => {
  test.each(addresses)('has $method $path, with an address to link to', ({ method, path, aliases }) => {
    const { operationId } = operationOf({ method, path })
    expect(html).toContain(`id="${operationId}"`)
    expect(html).toContain(
      aliases.includes(path) ? `Also answers to <code>${method}</code> <code>/auth${path}</code>` : `href="#${operationId}"`,
    )
  })

  test.each(routesOnce)(
    'explains $method $path: who may call it, its input, its errors and its answer',
    ({ method, path, input }) => {
      const operation = operationOf({ method, path })
      const article = articleOf(operation.operationId)
      expect(article.replaceAll(/<\/?code>/g, '')).toContain(operation.summary.replaceAll('`', ''))
      for (const { source } of operation['x-codeSamples']) expect(article).toContain(source)
      for (const field of Object.keys((input as { shape?: object } | null)?.shape ?? {}))
        expect(article).toContain(`<code>${field}</code>`)
      for (const [status, response] of refusals(operation))
        for (const code of Object.keys(response.content?.['application/json']?.examples ?? {})) {
          expect(article).toContain(`<code>${code}</code> <span class="status">${status}</span>`)
          expect(article).toContain(catalogue[code as ErrorKey][1])
        }
      const success = operation.responses[200]?.content?.['application/json']
      if (success) expect(article).toContain(JSON.stringify(success.example, null, 2))
    },
  )

  test.each(routesOnce)('describes every field of the input of $method $path', ({ method, path }) => {
    const { parameters = [], requestBody } = operationOf({ method, path })
    const fields = Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => Object.entries(schema.properties ?? {}))
    for (const [name, { description }] of [...fields, ...parameters.map((field) => [field.name, field] as const)])
      expect([name, description]).toEqual([name, expect.stringMatching(/\S/)])
  })

  test.each([
    ['/verify', '<h4>Answer 200</h4><p>No body.</p>'],
    ['/callback/github', '<h4>Answer 302</h4><p>A redirect to the address in <code>location</code>.</p>'],
  ])('says of %s that its answer is no JSON', (path, text) => {
    expect(articleOf(operationOf({ method: 'GET', path }).operationId)).toContain(text)
  })

  test('names the formats of a body where there is a choice', () => {
    const named = routesOnce.map((route) => articleOf(operationOf(route).operationId).match(/<p class="media">(.*?)<\/p>/)?.[1])
    const expected = routesOnce.map((route) => {
      const formats = Object.keys(operationOf(route).requestBody?.content ?? {})
      return formats.length > 1 ? `Send ${formats.join(' or ')}.` : undefined
    })
    expect(named).toEqual(expected)
    expect(named).toContain('Send application/json or multipart/form-data.')
  })

  test('shows the type, the description and the limits of a parameter', () => {
    const article = articleOf(operationOf({ method: 'GET', path: '/api-key/list' }).operationId)
    const [, type, description] = article.match(/<code>limit<\/code>\s*<span class="kind">(.*?)<\/span>.*?<dd>(.*?)<\/dd>/s) ?? []
    expect([type, description]).toEqual(['integer', 'The size of a page. 0 to 1,000'])
  })

  test('marks the parameters that are required, and no others', () => {
    const marked = routesOnce.map((route) => {
      const { operationId, parameters = [] } = operationOf(route)
      const [input = ''] = articleOf(operationId).split('<h4>Answer')
      const isMarked = (name: string) =>
        new RegExp(`<code>${name}</code>\\s*<span class="kind">(?:(?!</dt>).)*<span class="required">`, 's').test(input)
      return parameters.map(({ name, required = false }) => [route.path, name, required, isMarked(name)])
    })
    expect(marked.flat().filter(([, , required, isMarked]) => required !== isMarked)).toEqual([])
    expect(new Set(marked.flat().map(([, , required]) => required))).toEqual(new Set([true, false]))
  })

  test('has a sentence in each note', () => {
    const notes = routesOnce.flatMap((route) => noteOf(route) ?? [])
    expect(notes.length).toBeGreaterThan(50)
    const texts = [
      ...notes,
      ...[...Object.values(groups), ...Object.values(accessNotes)].flatMap(([label, text]) => [`${label}.`, text]),
    ]
    expect(texts.filter((text) => !/^\S.+\.$/.test(text))).toEqual([])
  })

  // Everywhere else the field means something else, and has its own text.
  test.each([
    ['id', 'The id', []],
    ['name', 'The name that other users see', ['/admin/create-user', '/sign-up/email', '/sign-up/passkey', '/update-user']],
    ['userId', 'The id of the user', ['/organization/member/add']],
    [
      'code',
      'A code of the authenticator app, or a backup code',
      ['/reauthenticate', '/two-factor/disable', '/two-factor/generate-backup-codes', '/two-factor/verify'],
    ],
    [
      'token',
      'The token of the emailed link',
      [
        '/delete-user',
        '/name-session',
        '/panic',
        '/reauthenticate',
        '/reset-password',
        '/reset-password',
        '/undo-email-change',
        '/verify-email',
        '/verify-email',
      ],
    ],
  ])('says of %s "%s" on these routes only', (field, text, paths) => {
    const found = routesOnce.filter((route) => {
      const { parameters = [], requestBody } = operationOf(route)
      const inBody = Object.values(requestBody?.content ?? {}).map(({ schema }) => schema.properties?.[field])
      return [...inBody, ...parameters.filter(({ name }) => name === field)].some((one) => one?.description === text)
    })
    expect(found.map(({ path }) => path).sort()).toEqual(paths)
  })

  test('shows a likely value in every text of an example', () => {
    const examplesOf = ({ parameters = [], requestBody, responses }: Operation) => [
      ...parameters.map(({ example }) => example),
      ...[...Object.values(requestBody?.content ?? {}), responses[200]?.content?.['application/json']].map((one) => one?.example),
    ]
    const without = routesOnce.filter((route) => /""|"text"/.test(JSON.stringify(examplesOf(operationOf(route)))))
    expect(without.map(({ path }) => path)).toEqual([])
  })

  test('gives one id to a user, and one to an organization, in examples that belong together', () => {
    const exampleOf = (path: string, method = 'GET') =>
      operationOf({ method, path }).responses[200]?.content?.['application/json']?.example as Record<string, never>
    const { user, session } = exampleOf('/get-session') as unknown as Record<
      string,
      { id: string; userId: string; name?: string }
    >
    expect([user?.id, session?.id]).toEqual([session?.userId, expect.stringMatching(/^[\w-]{20,}$/)])
    const { organization } = exampleOf('/admin/suspend-organization', 'POST') as unknown as { organization: Organization }
    const [joined] = exampleOf('/organization/list') as unknown as Organization[]
    const [found] = (exampleOf('/admin/list-organizations') as unknown as { organizations: Organization[] }).organizations
    const others = [
      exampleOf('/organization/create', 'POST'),
      exampleOf('/organization/update', 'POST'),
      exampleOf('/organization/get-full-organization'),
      joined,
      found,
    ] as unknown as Organization[]
    expect(others.map(({ id, name }) => [id, name])).toEqual(others.map(() => [organization.id, organization.name]))
    const members = [organization, ...others].flatMap(({ members = [] }) => members)
    expect(members.map(({ organizationId }) => organizationId)).toEqual([organization.id, organization.id, organization.id])
    const [member] = organization.members ?? []
    expect([member?.userId, member?.user?.id]).toEqual([user?.id, user?.id])
    expect(new Set([user?.id, session?.id, organization.id, member?.id]).size).toBe(4)
    expect(new Set([user?.name, organization.name]).size).toBe(2)
  })

  test.each<[string, object]>([
    ['string', { type: 'string' }],
    ['email', { type: 'string', format: 'email' }],
    ['date | null', { type: ['string', 'null'], format: 'date-time' }],
    ['"a" | "b"', { enum: ['a', 'b'] }],
    ['true', { const: true }],
    ['integer[]', { type: 'array', items: { type: 'integer' } }],
    ['URL | null', { anyOf: [{ type: 'string', format: 'uri' }, { type: 'null' }] }],
    ['User', { $ref: '#/components/schemas/User' }],
    ['any', {}],
  ])('names the type %s', (type, schema) => {
    expect(describeFields({ properties: { field: schema } })[0]).toMatchObject({ name: 'field', type, limits: '' })
  })

  test('explains the errors of most routes once', () => {
    const errors = html.match(/<section id="errors">.*?<\/section>/s)?.[0] ?? ''
    for (const code of ['BAD_REQUEST', 'INVALID_ORIGIN', 'TOO_MANY_REQUESTS', 'SERVICE_UNAVAILABLE', 'INTERNAL_SERVER_ERROR'])
      expect(errors).toContain(`<code>${code}</code>`)
  })

  test('lists every route in its contents, and every link on it leads to a part of it', () => {
    const nav = html.match(/<nav.*?<\/nav>/s)?.[0] ?? ''
    for (const route of routesOnce) expect(nav).toContain(`href="#${operationOf(route).operationId}"`)
    const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
    expect(new Set(ids).size).toBe(ids.length)
    for (const [, target] of html.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(target)
  })

  test('loads its own style and script only, under a policy that allows nothing else', async () => {
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=UTF-8'])
    expect(page.headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    )
    expect([...html.matchAll(/<[^>]+ (?:src|href)="([^"#]+)"/g)].map(([, url]) => url)).toEqual([
      '/auth/reference/style.css',
      '/auth/reference/script.js',
      '/auth/openapi.json',
    ])
    expect(html).not.toMatch(/<style|<img|<iframe| style=| on\w+=|javascript:/i)
    for (const [path, type] of [
      ['/auth/reference/style.css', 'text/css; charset=utf-8'],
      ['/auth/reference/script.js', 'text/javascript; charset=utf-8'],
    ] as const) {
      const { status, headers, body } = await app.browser().get(path)
      expect([status, headers.get('content-type')]).toEqual([200, type])
      expect(String(body)).not.toMatch(/url\(|@import|https?:|\beval\b|\bimport\b/)
    }
  })

  test('has the colors of the pages', async () => {
    const colors = async (file: string) =>
      [...(await readFile(new URL(`../../../../../${file}`, import.meta.url), 'utf8')).matchAll(/--([\w-]+): (#\w+);/g)].map(
        ([, name, value]) => `${name} ${value}`,
      )
    const css = await readFile(new URL('../../../../../apps/web/app/app.css', import.meta.url), 'utf8')
    const ofPages = new Set(
      [...css.matchAll(/--([\w-]+): (?:light-dark\()?(#\w+)(?:, (#\w+)\))?;/g)].flatMap(([, name, light, dark = light]) => [
        `${name} ${light}`,
        `${name} ${dark}`,
      ]),
    )
    const own = await colors('packages/functions/src/reference/page-style.css')
    expect(own.length).toBeGreaterThan(20)
    expect(own.filter((color) => !ofPages.has(color))).toEqual([])
  })

  test('shows an application name with markup as text', async () => {
    const marked = await createTestApp({ APP_NAME: 'R&D &lt;i&gt;' })
    const page = String((await marked.browser().get('/auth/reference')).body)
    expect(page).toContain('<h1>R&amp;D &amp;lt;i&amp;gt;: accounts and authentication</h1>')
  })

  test('weighs at most 60 kB over gzip', async () => {
    const stream = new Blob([html]).stream().pipeThrough(new CompressionStream('gzip'))
    expect((await new Response(stream).arrayBuffer()).byteLength).toBeLessThan(60_000)
  })
})

describe('the examples of the reference', () => {
  test.each(routesOnce)('of $method $path fit its contracts', ({ method, path, input, answer, refuses }) => {
    const { parameters = [], requestBody, responses } = operationOf({ method, path })
    const example =
      method === 'GET'
        ? Object.fromEntries(parameters.flatMap(({ name, example }) => (example === undefined ? [] : [[name, example]])))
        : Object.values(requestBody?.content ?? {})[0]?.example
    if (input) expect(input.safeParse(example).error).toBeUndefined()
    const json = responses[200]?.content?.['application/json']
    if (answer && refuses === null && json) expect(answer.safeParse(json.example).error).toBeUndefined()
  })

  test('of the client show a short input on one line, and each field of a long one on its own', () => {
    const sourceOf = (path: string) =>
      operationOf({ method: 'POST', path })['x-codeSamples'].find(({ label }) => label === '@floorpass/client')?.source
    expect(sourceOf('/unlink-account')).toContain("({ providerId: 'github' })")
    expect(sourceOf('/api-key/create')).toContain(
      "({\n  name: 'Market maker',\n  permissions: { order: ['read', 'place', 'cancel'] },\n",
    )
  })

  test('sign in with curl, read the session and change the profile, exactly as written', async () => {
    await app.verified({ name: 'Ada', email: 'ada@example.com', password: 'plum kettle orbit' })
    const curl = async (method: string, path: string) => {
      const source = operationOf({ method, path })['x-codeSamples'][0]?.source ?? ''
      const { stdout } = await run('bash', ['-c', source], shell)
      return JSON.parse(stdout)
    }
    expect(await curl('POST', '/sign-in/email')).toMatchObject({ redirect: false, user: { email: 'ada@example.com' } })
    expect(await curl('GET', '/get-session')).toMatchObject({ user: { name: 'Ada' } })
    expect(await curl('POST', '/update-user')).toEqual({ status: true })
    expect(await curl('GET', '/get-session')).toMatchObject({ user: { name: 'Ada Lovelace', riskLevel: 'moderate' } })
    expect(await curl('POST', '/reauthenticate')).toEqual({ status: true })
    expect(await curl('GET', '/token')).toMatchObject({ expiresIn: 120 })
    expect(await curl('POST', '/sign-out')).toEqual({ success: true })
    expect(await curl('GET', '/get-session')).toBeNull()
  })

  test.each(addresses)('of curl work for $method $path', async (route) => {
    const { method, path, answer, refuses } = route
    const tab = await app.signedIn()
    const input = (await samples[`${method} ${path}`]?.(tab)) ?? {}
    const source = operationOf(route)['x-codeSamples'].find(({ label }) => label === 'curl')?.source ?? ''
    const jar = join(folder, 'cookies.txt')
    await writeFile(jar, cookieFile(tab))
    if (typeof input.picture === 'string') await writeFile(join(folder, 'picture.jpg'), Buffer.from(input.picture, 'base64'))
    const words = readWords(source).map((word, index, all) => {
      if (all[index - 1] === '-d')
        return word.startsWith('{') ? JSON.stringify(input) : String(new URLSearchParams(input as never))
      if (word.startsWith(app.baseUrl) && path.includes('{')) return `${app.baseUrl}${addressOf(path, input)}`
      if (word.startsWith(app.baseUrl))
        return method === 'GET' && word.includes('?') ? `${word.split('?')[0]}?${new URLSearchParams(input as never)}` : word
      return word.replace('$SERVICE_SECRET', serviceKey)
    })
    expect(words[0]).toBe('curl')
    // A stream goes on for a minute.
    const limit = answer === eventStreamAnswer ? ['-m', '1'] : []
    const { stdout } = await run('curl', [...words.slice(1), ...limit, '-w', '\n%{http_code}'], shell).catch(
      (error: { stdout: string }) => error,
    )
    const [, body = '', status] = stdout.match(/^(.*)\n(\d+)$/s) ?? []
    if (answer === null) expect(status).toBe('302')
    else if (refuses !== null) expect(JSON.parse(body).code).toBe(refuses)
    else {
      expect([status, body]).toEqual(['200', expect.any(String)])
      expect(answer.safeParse(body === '' || texts.includes(answer) ? body : JSON.parse(body)).error).toBeUndefined()
    }
  })

  const withClient = routesOnce.filter((route) =>
    operationOf(route)['x-codeSamples'].some(({ source }) => source.includes('floorpass.')),
  )

  test('exist for the client on every route but links, redirects and calls of services', () => {
    const without = routesOnce.filter((route) => !withClient.includes(route)).map(({ method, path }) => `${method} ${path}`)
    expect(without).toEqual([
      'GET /sign-in/social',
      'GET /callback/google',
      'GET /callback/github',
      'GET /reset-password',
      'GET /pictures/{name}.webp',
      'POST /api-key/verify',
      'POST /allow-list/check',
      'POST /confirmation/consume',
      'POST /introspect',
      'GET /events',
      'GET /events/stream',
    ])
  })

  test.each(withClient)('of the client work for $method $path', async (route) => {
    const { method, path, refuses } = route
    const tab = await app.signedIn()
    const input = (await samples[`${method} ${path}`]?.(tab)) ?? {}
    const source = operationOf(route)['x-codeSamples'].find(({ label }) => label === '@floorpass/client')?.source ?? ''
    const client = createFloorpassClient({ baseUrl: app.baseUrl, fetch: tab.fetch })
    const result = runSample(source, withInput(client, input))
    if (refuses === null) await expect(result).resolves.not.toThrow()
    else await expect(result).rejects.toMatchObject({ data: { key: refuses } })
  })
})

const cookieFile = ({ cookies }: SignedIn): string =>
  [...cookies].map(([name, value]) => `#HttpOnly_localhost\tFALSE\t/\tFALSE\t0\t${name}\t${value}\n`).join('')

/** Splits a command as a shell does: single and double quotes, escaped line ends. */
function readWords(command: string): string[] {
  const words = command.replaceAll('\\\n', ' ').match(/(?:'[^']*'|"[^"]*"|\\'|[^\s'"])+/g) ?? []
  return words.map((word) =>
    word.replaceAll(/'([^']*)'|"([^"]*)"|\\(')/g, (_, single, double, quote) => single ?? double ?? quote),
  )
}

const runSample = (source: string, floorpass: unknown): Promise<unknown> =>
  new Function('floorpass', `return (async () => { ${source} })()`)(floorpass)

/** The client, which sends the values of `input` in place of the example's. */
function withInput(client: object, input: Record<string, unknown>): object {
  const wrap = (target: unknown): object =>
    new Proxy(target as () => unknown, {
      get: (owner, key) => {
        const member = Reflect.get(owner, key)
        return typeof member === 'function' || typeof member === 'object' ? wrap(member) : member
      },
      apply: (call, self, [given]) =>
        Reflect.apply(call, self, given || Object.keys(input).length > 0 ? [{ ...given, ...input }] : []),
    })
  return wrap(client)
}
