import { gzipSync } from 'node:zlib'
import fc from 'fast-check'

/** A request as bytes. `isBroken`: it violates HTTP or never ends, so no answer is fine too. */
export type HostileRequest = {
  what: string
  method: string
  target: string
  bytes: Buffer
  pace: 'at once' | 'slow' | 'cut off'
  isBroken: boolean
}

/** One method of one path, with the input fields of the OpenAPI document. */
export type Operation = { method: string; path: string; fields: Record<string, Schema>; isPage: boolean }
type Schema = { type?: string | string[]; format?: string; enum?: unknown[]; anyOf?: Schema[]; items?: Schema; $ref?: string }
type Document = {
  paths: Record<
    string,
    Record<
      string,
      { parameters?: { name: string; schema: Schema }[]; requestBody?: { content: Record<string, { schema: ObjectSchema }> } }
    >
  >
  components: { schemas: Record<string, ObjectSchema> }
}
type ObjectSchema = Schema & { properties?: Record<string, Schema> }

/** Session cookies to send. The victim's are sent only with GET or from a foreign origin, so they must change nothing. */
export type Cookies = { attacker: string; victim: string }

/** Every operation of the OpenAPI document. */
export function operationsOf({ paths, components }: Document): Operation[] {
  const resolved = (schema: ObjectSchema | undefined): ObjectSchema =>
    schema?.$ref ? (components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}) : (schema ?? {})
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [], requestBody }]) => ({
      method: method.toUpperCase(),
      path,
      isPage: false,
      fields: requestBody
        ? (resolved(Object.values(requestBody.content)[0]?.schema).properties ?? {})
        : Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
    })),
  )
}

const hostileText = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '\u0000',
    'a\u0000b',
    '\ud800',
    '\udfff\ud800',
    '\u202egnp.exe',
    '\ufeff',
    'ad\u200bmin',
    '__proto__',
    'constructor',
    'toString',
    "' OR 1=1 --",
    '../../etc/passwd',
    '//evil.test',
    'javascript:alert(1)',
    '<script>alert(1)</script>',
    '\r\nSet-Cookie: local-floorpass_session=x',
    '%00%ff%c0%af',
    '{{7*7}}',
    '1e999',
    'NaN',
    'null',
    'e\u0301'.repeat(500),
    '\u{1f600}'.repeat(300),
    'a'.repeat(70_000),
    `${'a'.repeat(5000)}@example.test`,
  ),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
)
const deep = (levels: number, open: string, close: string) => `${open.repeat(levels)}0${close.repeat(levels)}`
/** Values as JSON text, because some have no JavaScript equivalent. */
const hostileJson = fc.oneof(
  { weight: 4, arbitrary: hostileText.map((text) => JSON.stringify(text)) },
  { weight: 2, arbitrary: fc.json() },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      'null',
      'true',
      '0',
      '-0',
      '1e999',
      '-1e400',
      '9'.repeat(400),
      '0.1e-400',
      '[]',
      '[[]]',
      '{}',
      '{"__proto__":{"role":"owner","emailVerified":true}}',
      '{"constructor":{"prototype":{"role":"owner"}}}',
      '{"toString":1,"valueOf":2,"length":-1}',
      '"\\ud800"',
      '"\\u0000"',
      '{"$gt":""}',
      deep(20, '[', ']'),
      deep(5000, '[', ']'),
      deep(5000, '{"a":', '}'),
      `[${'0,'.repeat(5000)}0]`,
    ),
  },
)

function plausible(name: string, schema: Schema): fc.Arbitrary<string> {
  const [type] = [schema.type ?? schema.anyOf?.[0]?.type ?? 'string'].flat()
  const one = schema.enum ?? []
  if (one.length > 0) return fc.constantFrom(...one.map((value) => JSON.stringify(value)))
  if (type === 'boolean') return fc.boolean().map(String)
  if (type === 'integer' || type === 'number') return fc.integer().map(String)
  if (type === 'array' || type === 'object') return fc.constantFrom('[]', '{}', '["member"]', '{"organization":["delete"]}')
  if (/email/i.test(name)) return fc.nat(500).map((count) => `"fuzz-${count}@example.test"`)
  if (/password/i.test(name)) return fc.nat(50).map((count) => `"plum kettle orbit ${count}"`)
  if (/url|redirect/i.test(name)) return fc.constantFrom('"/dashboard"', '"https://evil.test"', '"//evil.test"')
  if (/code/i.test(name)) return fc.nat(999_999).map((count) => `"${String(count).padStart(6, '0')}"`)
  return fc.string({ maxLength: 40 }).map((text) => JSON.stringify(text))
}

const bodyOf = (fields: Record<string, Schema>): fc.Arbitrary<string> => {
  const names = Object.entries(fields)
  if (names.length === 0) return fc.oneof(fc.constant('{}'), hostileJson)
  const pairs = names.map(([name, schema]) =>
    fc
      .oneof({ weight: 3, arbitrary: plausible(name, schema) }, { weight: 2, arbitrary: hostileJson })
      .map((value) => `${JSON.stringify(name)}:${value}`),
  )
  const extra = fc.constantFrom(
    '"__proto__":{"emailVerified":true,"role":"owner"}',
    '"constructor":{"prototype":{"admin":true}}',
    '"id":"1"',
    '"role":"owner"',
    '"emailVerified":true',
    '"userId":"00000000-0000-7000-8000-000000000000"',
    '"\\u0000":1',
    '"":""',
  )
  return fc
    .tuple(
      fc.tuple(...pairs),
      // Duplicate names: two parsers could disagree on which value counts.
      fc.array(fc.tuple(fc.nat(names.length - 1), fc.oneof(hostileJson, fc.constantFrom('"fuzz-1@example.test"', '"/"'))), {
        maxLength: 2,
      }),
      fc.array(fc.nat(names.length - 1), { maxLength: 2 }),
      fc.array(extra, { maxLength: 2 }),
    )
    .map(([all, twice, left, more]) => {
      const kept = all.filter((_, index) => !left.includes(index))
      return `{${[...kept, ...twice.map(([index, value]) => `${JSON.stringify(names[index]?.[0])}:${value}`), ...more].join()}}`
    })
}

type EncodedBody = { body: Buffer; headers: string[]; isBroken?: boolean; what: string }
const json = 'content-type: application/json'
const toForm = (text: string): Buffer => {
  try {
    return Buffer.from(
      new URLSearchParams(Object.entries(JSON.parse(text) as object).map(([name, value]) => [name, String(value)])).toString(),
    )
  } catch {
    return Buffer.from(text)
  }
}
const big = 2 * 1024 * 1024
const bigBodies = [
  ' '.repeat(big),
  `{"email":"${'a'.repeat(big)}"}`,
  `{"password":"${'\u{1f600}'.repeat(big / 4)}"}`,
  `{${'"a":1,'.repeat(big / 6)}"b":2}`,
  deep(big / 2, '[', ']'),
  `{"email":"fuzz-1@example.test","password":"plum kettle orbit"${' '.repeat(big)}}`,
].map((text) => Buffer.from(text))

/** Encodes a body in one of many right and wrong ways. */
const encoded = (text: fc.Arbitrary<string>): fc.Arbitrary<EncodedBody> =>
  fc.oneof(
    { weight: 30, arbitrary: text.map((it): EncodedBody => ({ what: 'json', body: Buffer.from(it), headers: [json] })) },
    {
      weight: 4,
      arbitrary: text.map(
        (it): EncodedBody => ({ what: 'form', body: toForm(it), headers: ['content-type: application/x-www-form-urlencoded'] }),
      ),
    },
    {
      weight: 3,
      arbitrary: text.map((it): EncodedBody => ({ what: 'cut json', body: Buffer.from(it.slice(0, -1)), headers: [json] })),
    },
    {
      weight: 2,
      arbitrary: text.map((it): EncodedBody => ({ what: 'utf-16', body: Buffer.from(it, 'utf16le'), headers: [json] })),
    },
    {
      weight: 2,
      arbitrary: text.map(
        (it): EncodedBody => ({
          what: 'not utf-8',
          body: Buffer.concat([Buffer.from(it.slice(0, -2)), Buffer.from([0xff, 0xc0, 0xaf])]),
          headers: [json],
        }),
      ),
    },
    {
      weight: 2,
      arbitrary: text.map((it): EncodedBody => ({ what: 'byte order mark', body: Buffer.from(`\ufeff${it}`), headers: [json] })),
    },
    {
      weight: 2,
      arbitrary: text.map((it): EncodedBody => ({ what: 'gzip', body: gzipSync(it), headers: [json, 'content-encoding: gzip'] })),
    },
    {
      weight: 3,
      arbitrary: fc
        .uint8Array({ maxLength: 200 })
        .map((it): EncodedBody => ({ what: 'noise', body: Buffer.from(it), headers: [json] })),
    },
    {
      weight: 4,
      arbitrary: fc
        .tuple(
          text,
          fc.constantFrom(
            'text/plain',
            'application/xml',
            'multipart/form-data; boundary=x',
            'application/json; charset=utf-16',
            'application/json;;;=',
            '\u00ff',
            '/',
          ),
        )
        .map(([it, type]): EncodedBody => ({ what: 'another type', body: Buffer.from(it), headers: [`content-type: ${type}`] })),
    },
    { weight: 2, arbitrary: text.map((it): EncodedBody => ({ what: 'no type', body: Buffer.from(it), headers: [] })) },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom(...bigBodies)
        .map((body): EncodedBody => ({ what: '2 MB', body, headers: [json], isBroken: true })),
    },
    { weight: 2, arbitrary: fc.constant<EncodedBody>({ what: 'no body', body: Buffer.alloc(0), headers: [] }) },
  )

const headerText = fc.oneof(
  fc.constantFrom('', 'x'.repeat(4000), '\u00ff\u00fe', '<script>', '"', ';;;', '*', 'null', '-1', '1e9', '=?utf-8?q?=00?='),
  fc
    .string({ unit: 'binary-ascii', maxLength: 60 })
    .map((text) => [...text].filter((sign) => sign >= ' ' && sign <= '~').join('')),
)
const oddHeaders = fc.array(
  fc.oneof(
    fc
      .tuple(
        fc.constantFrom(
          ...[
            'accept',
            'accept-language',
            'authorization',
            'forwarded',
            'if-none-match',
            'origin',
            'range',
            'referer',
            'sec-fetch-site',
            'traceparent',
            'tracestate',
            'trpc-accept',
          ],
          ...[
            'user-agent',
            'x-forwarded-for',
            'x-forwarded-host',
            'x-forwarded-proto',
            'x-http-method-override',
            'x-original-url',
            'x-request-id',
          ],
        ),
        headerText,
      )
      .map(([name, value]) => `${name}: ${value}`),
    fc.constantFrom(
      'x-forwarded-proto: HTTP/1.1',
      'x-forwarded-proto: https, http',
      'x-forwarded-proto: ://@[',
      'x-forwarded-for: ::1, 1.2.3.4, unknown',
      'x-forwarded-for: 203.0.113.7, 127.0.0.1',
      'x-forwarded-for: ::ffff:1.2.3.4%eth0, [::1]:80, 999.1.1.1',
      `x-forwarded-for: ${'1.2.3.4, 127.0.0.1, '.repeat(400)}::1`,
      'traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
      'traceparent: 00-00000000000000000000000000000000-0000000000000000-ff',
      `traceparent: cc-${'f'.repeat(3000)}-01-x`,
      'authorization: Bearer what-the-fuzz-does-not-know',
      'host: evil.test',
      'host: [::1',
      'host: a b',
      'expect: 100-continue',
    ),
  ),
  { maxLength: 4 },
)

const oddPath = (path: string): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 24, arbitrary: fc.constant(path) },
    {
      weight: 3,
      arbitrary: fc.constantFrom(
        `/${path}`,
        `${path}/`,
        `${path}%00`,
        `${path}/../..`,
        path.toUpperCase(),
        path.replace(/.$/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
        `${path};x=1`,
        `${path}/${'a'.repeat(9000)}`,
        `http://evil.test${path}`,
        `${path}%c0%af%ff`,
        `${path}/__proto__`,
      ),
    },
  )
const oddQuery = (fields: Record<string, Schema>): fc.Arbitrary<string> => {
  const names = Object.keys(fields)
  const name = names.length > 0 ? fc.oneof(fc.constantFrom(...names), hostileText) : hostileText
  const escaped = fc
    .tuple(name, hostileText)
    .map(([left, right]) => new URLSearchParams([[left.slice(0, 2000), right.slice(0, 2000)]]).toString())
  return fc.oneof(
    { weight: 5, arbitrary: fc.array(escaped, { maxLength: 4 }).map((pairs) => `?${pairs.join('&')}`) },
    {
      weight: 2,
      arbitrary: fc.constantFrom(
        '',
        '?',
        '?%',
        '?%ff%fe&%00=%00',
        '?a[b][c]=1&a[b]=2',
        '?__proto__[x]=1',
        `?${'a=1&'.repeat(2000)}`,
        '?=&==&&=',
      ),
    },
  )
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'TRACE', 'PROPFIND', 'get', 'NONSENSE', 'CONNECT']

/** Generates requests for one operation. `origin` is that of the service. */
export function hostileRequests(operation: Operation, origin: string, cookies: Cookies): fc.Arbitrary<HostileRequest> {
  const { path, fields } = operation
  return fc
    .record({
      method: fc.oneof(
        { weight: 12, arbitrary: fc.constant(operation.method) },
        { weight: 1, arbitrary: fc.constantFrom(...methods) },
      ),
      target: fc.tuple(
        oddPath(path),
        fc.oneof(
          { weight: operation.method === 'GET' ? 1 : 5, arbitrary: fc.constant('') },
          { weight: 1, arbitrary: oddQuery(fields) },
        ),
      ),
      made: encoded(bodyOf(fields)),
      from: fc.constantFrom('own', 'own', 'own', 'own', 'foreign', 'null', 'twice', 'none'),
      who: fc.constantFrom('attacker', 'attacker', 'attacker', 'victim', 'anonymous', 'anonymous', 'noise', 'doubled', 'huge'),
      odd: fc.oneof({ weight: 2, arbitrary: fc.constant<string[]>([]) }, { weight: 1, arbitrary: oddHeaders }),
      framing: fc.oneof(
        { weight: 60, arbitrary: fc.constant('length') },
        { weight: 8, arbitrary: fc.constant('chunked') },
        { weight: 1, arbitrary: fc.constantFrom('too short', 'too long', 'both', 'bad chunks', 'none') },
      ),
      pace: fc.oneof(
        { weight: 120, arbitrary: fc.constant('at once' as const) },
        { weight: 6, arbitrary: fc.constantFrom('slow' as const, 'slow' as const, 'cut off' as const) },
      ),
    })
    .map(({ method, target, made, from, who, odd, framing, pace }) => {
      const isSafe = ['GET', 'HEAD', 'OPTIONS'].includes(method)
      const asVictim = who === 'victim' && (isSafe || from === 'foreign')
      const origins = {
        own: [origin],
        foreign: ['https://evil.test'],
        null: ['null'],
        twice: [origin, 'https://evil.test'],
        none: [],
      }[from]
      const jar = {
        attacker: cookies.attacker,
        victim: asVictim ? cookies.victim : '',
        anonymous: '',
        noise: 'local-floorpass_session=%00; =; ;;; __proto__=x; floorpass_known_device=~~1.x.y',
        doubled: `${cookies.attacker}; local-floorpass_session=${'A'.repeat(43)}`,
        huge: `local-floorpass_session=${'A'.repeat(6000)}; floorpass_two_factor=${'B'.repeat(3000)}`,
      }[who]
      // An extra Origin header must not turn a foreign page into a trusted one while the victim's cookie is sent.
      const extra = asVictim ? odd.filter((line) => !/^(origin|referer|sec-fetch-site)/.test(line)) : odd
      const hasBody = made.body.length > 0
      const framed = frame(hasBody ? made.body : Buffer.alloc(0), hasBody ? framing : 'length')
      const hosts = extra.some((line) => line.startsWith('host:')) ? [] : [`host: ${new URL(origin).host}`]
      const lines = [
        `${method} ${target.join('')} HTTP/1.1`,
        ...hosts,
        ...extra,
        ...origins.map((each) => `origin: ${each}`),
        ...(jar === '' ? [] : [`cookie: ${jar}`]),
        ...(hasBody ? made.headers : []),
        ...(hasBody || !isSafe ? framed.headers : []),
        'connection: close',
      ]
      const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
      return {
        what: [made.what, framing, from, who, pace].join(', '),
        method,
        target: target.join(''),
        bytes: Buffer.concat([head, framed.body]),
        pace,
        isBroken:
          pace === 'cut off' ||
          made.isBroken === true ||
          !['length', 'chunked'].includes(framing) ||
          method === 'CONNECT' ||
          /[^\x21-\x7e]/.test(target.join('')) ||
          lines.some((line) => line.startsWith('expect')),
      }
    })
}

function frame(body: Buffer, framing: string): { headers: string[]; body: Buffer } {
  const chunks = Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')])
  if (framing === 'chunked')
    return { headers: ['transfer-encoding: chunked'], body: body.length === 0 ? Buffer.from('0\r\n\r\n') : chunks }
  if (framing === 'bad chunks')
    return { headers: ['transfer-encoding: chunked'], body: Buffer.concat([Buffer.from('zz\r\n'), body]) }
  if (framing === 'both') return { headers: ['transfer-encoding: chunked', `content-length: ${body.length}`], body: chunks }
  if (framing === 'none') return { headers: [], body }
  const off = { 'too short': -Math.ceil(body.length / 2), 'too long': 10 }[framing] ?? 0
  return { headers: [`content-length: ${body.length + off}`], body }
}
