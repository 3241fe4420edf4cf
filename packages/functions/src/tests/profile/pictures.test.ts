import { crc32, deflateSync } from 'node:zlib'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { processorTimeBelow } from '@floorpass/testing/processor-time'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()

type Tab = Awaited<ReturnType<typeof app.signedIn>>
type Bytes = Uint8Array<ArrayBuffer>

const colors = { red: '#ff0000', blue: '#0000ff' }
const draw = (color: keyof typeof colors, [width, height] = [300, 300]) =>
  sharp({ create: { width, height, channels: 3, background: colors[color] } })
const png = async (color: keyof typeof colors = 'red'): Promise<Bytes> => new Uint8Array(await draw(color).png().toBuffer())

/** Sends a file as a form does. */
async function send(tab: Pick<Tab, 'post'>, file: Bytes, name = 'me.png', headers: Record<string, string> = {}) {
  const form = new FormData()
  form.set('picture', new File([file], name))
  const encoded = new Response(form)
  const type = encoded.headers.get('content-type') ?? ''
  return tab.post('/auth/set-picture', new Uint8Array(await encoded.arrayBuffer()), {
    headers: { 'content-type': type, ...headers },
  })
}

const rowsOf = ({ userId }: Pick<Tab, 'userId'>) => app.db.profilePicture.findMany({ where: { userId } })
const imageOf = async ({ userId }: Pick<Tab, 'userId'>) => (await app.db.user.findUniqueOrThrow({ where: { id: userId } })).image
const eventsOf = ({ userId }: Pick<Tab, 'userId'>) =>
  app.db.auditEvent.findMany({ where: { userId, action: 'update-user' }, orderBy: { id: 'asc' } })

/** The answer at the address of a picture, with its bytes. */
const load = (address: string, init: RequestInit = {}) => app.edge.fetch(new Request(address, init), { peerAddress: '127.0.0.1' })
const pixelsOf = async (address: string) => {
  const file = Buffer.from(await (await load(address)).arrayBuffer())
  const { data, info } = await sharp(file).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  const at = (x: number, y: number) => [...data.subarray((y * info.width + x) * 3, (y * info.width + x) * 3 + 3)]
  return { info, at, metadata: await sharp(file).metadata() }
}
const isRed = ([red = 0, , blue = 0]: number[]) => red > 200 && blue < 60

async function withPicture(color: keyof typeof colors = 'red') {
  const tab = await app.signedIn()
  const { status, body } = await send(tab, await png(color))
  expect(status).toBe(200)
  return { ...tab, image: (body as { image: string }).image }
}

function pngChunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}

/** A valid picture of few bytes and many pixels. */
function bomb(side: number): Bytes {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(side, 0)
  header.writeUInt32BE(side, 4)
  // One bit a pixel, in grey.
  header[8] = 1
  const rows = deflateSync(Buffer.alloc((side / 8 + 1) * side))
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return new Uint8Array(
    Buffer.concat([signature, pngChunk('IHDR', header), pngChunk('IDAT', rows), pngChunk('IEND', Buffer.alloc(0))]),
  )
}

describe('set-picture', () => {
  test('stores the centre of the file as a square in WebP, and get-session shows its address at once', async () => {
    const tab = await app.signedIn()
    const left = await draw('red', [400, 200]).png().toBuffer()
    const file = await draw('blue', [1000, 200])
      .composite([{ input: left, left: 0, top: 0 }])
      .png()
      .toBuffer()
    const answer = await send(tab, new Uint8Array(file))
    const { image } = answer.body as { image: string }
    expect([answer.status, answer.body]).toEqual([200, { image }])
    expect(image).toMatch(/^http:\/\/localhost:\d+\/auth\/pictures\/[\w-]{43}\.webp$/)
    expect((await tab.get('/auth/get-session')).body).toMatchObject({ user: { image } })
    const { info, at, metadata } = await pixelsOf(image)
    expect([info.width, info.height, metadata.format]).toEqual([256, 256, 'webp'])
    // The centre is from 400 to 600, right of the red.
    expect(isRed(at(4, 128))).toBe(false)
    expect(await eventsOf(tab)).toMatchObject([{ succeeded: true, details: { fields: 'image' } }])
  })

  test('takes the file in base64 from a program, in REST and tRPC', async () => {
    const tab = await app.signedIn()
    const picture = Buffer.from(await png('blue')).toString('base64')
    expect((await tab.post('/auth/set-picture', { picture })).status).toBe(200)
    expect((await tab.post('/trpc/profile.setPicture', { picture })).status).toBe(200)
    expect(isRed((await pixelsOf((await imageOf(tab)) ?? '')).at(128, 128))).toBe(false)
  })

  test('gives another picture another address, and the former one answers no more', async () => {
    const tab = await withPicture('red')
    await send(tab, await png('blue'))
    const image = (await imageOf(tab)) ?? ''
    expect(image).not.toBe(tab.image)
    expect((await load(tab.image)).status).toBe(404)
    expect(isRed((await pixelsOf(image)).at(128, 128))).toBe(false)
    expect(await rowsOf(tab)).toHaveLength(1)
  })

  test('turns a photo upright, and drops the camera and the place where it was taken', async () => {
    const tab = await app.signedIn()
    const top = await draw('red', [300, 150]).png().toBuffer()
    const photo = await draw('blue', [300, 300])
      .composite([{ input: top, left: 0, top: 0 }])
      .withExif({ IFD0: { Model: 'canary-camera' }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '48/1 51/1 30/1' } })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer()
    expect(photo.includes('canary-camera')).toBe(true)
    await send(tab, new Uint8Array(photo), 'me.jpg')
    const { at, metadata } = await pixelsOf((await imageOf(tab)) ?? '')
    // Orientation 6 turns the top to the right.
    expect([isRed(at(230, 128)), isRed(at(26, 128))]).toEqual([true, false])
    expect([metadata.exif, metadata.orientation, metadata.xmp, metadata.iptc]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ])
    const [row] = await rowsOf(tab)
    expect(Buffer.from(row?.content ?? []).includes('canary-camera')).toBe(false)
  })

  test('takes the first frame of an animation', async () => {
    const tab = await app.signedIn()
    const frames = await Promise.all([draw('red'), draw('blue')].map((frame) => frame.png().toBuffer()))
    const file = await sharp(frames, { join: { animated: true } })
      .gif()
      .toBuffer()
    await send(tab, new Uint8Array(file), 'me.gif')
    const { info, at, metadata } = await pixelsOf((await imageOf(tab)) ?? '')
    expect([info.height, metadata.pages ?? 1, isRed(at(128, 128))]).toEqual([256, 1, true])
  })

  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>'
  test.each([
    ['an SVG', async () => Buffer.from(svg), 'me.svg'],
    ['an SVG named .png', async () => Buffer.from(`<?xml version="1.0"?>${svg}`), 'me.png'],
    ['HTML named .png', async () => Buffer.from('<!doctype html><script>alert(1)</script>'), 'me.png'],
    ['a PDF', async () => Buffer.from('%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>'), 'me.pdf'],
    ['a TIFF', async () => draw('red').tiff().toBuffer(), 'me.tiff'],
    ['an AVIF', async () => draw('red', [64, 64]).avif({ effort: 0 }).toBuffer(), 'me.avif'],
    ['a PNG that breaks off', async () => bomb(2000).subarray(0, -40), 'me.png'],
    [
      'a JPEG that breaks off',
      async () => {
        const noise = await sharp({
          create: { width: 600, height: 600, channels: 3, noise: { type: 'gaussian', mean: 128, sigma: 60 }, background: '#000' },
        })
          .jpeg()
          .toBuffer()
        return noise.subarray(0, noise.length / 2)
      },
      'me.jpg',
    ],
    ['a header alone', async () => Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), 'me.png'],
    ['a JPEG header before HTML', async () => Buffer.from('\xff\xd8\xff<script>alert(1)</script>', 'latin1'), 'me.jpg'],
  ])('refuses %s, and keeps the former picture', async (_what, create, name) => {
    const tab = await withPicture()
    const answer = await send(tab, new Uint8Array(await create()), name)
    expect([answer.status, answer.code]).toEqual([400, 'INVALID_PICTURE'])
    expect(await imageOf(tab)).toBe(tab.image)
    expect(await rowsOf(tab)).toHaveLength(1)
  })

  test('refuses a picture of 400 million pixels by its header, without decoding it', async () => {
    const file = bomb(20_000)
    expect(file.length).toBeLessThan(64 * 1024)
    const tab = await app.signedIn()
    const cost = await processorTimeBelow(500, async () => expect((await send(tab, file)).code).toBe('PICTURE_TOO_LARGE'))
    expect(cost).toBeLessThan(500)
    expect(await rowsOf(tab)).toEqual([])
  })

  test('reads a form of 2 MiB and refuses a larger one', async () => {
    const tab = await app.signedIn()
    const padded = (bytes: number) => new Uint8Array(Buffer.concat([bomb(800), Buffer.alloc(bytes)]))
    expect((await send(tab, padded(2 * 1024 * 1024 - 4096))).status).toBe(200)
    const answer = await send(tab, padded(2 * 1024 * 1024))
    expect([answer.status, answer.body]).toEqual([
      413,
      { code: 'PAYLOAD_TOO_LARGE', message: 'The request body is larger than 2048 KiB' },
    ])
  })

  test('reads no more than 64 KiB from a caller without a session, and of any other form', async () => {
    const file = new Uint8Array(100_000)
    expect((await send(app.browser(), file)).code).toBe('PAYLOAD_TOO_LARGE')
    expect((await send(app.browser(), await png())).code).toBe('UNAUTHORIZED')
    const tab = await app.signedIn()
    const headers = { 'content-type': 'multipart/form-data; boundary=x' }
    expect((await tab.post('/auth/update-user', file, { headers })).code).toBe('PAYLOAD_TOO_LARGE')
    expect((await tab.post('/auth/set-picture', file, { headers: { 'content-type': 'application/json' } })).code).toBe(
      'PAYLOAD_TOO_LARGE',
    )
  })

  test('refuses a form without a file, and one that is no form', async () => {
    const tab = await app.signedIn()
    expect((await send(tab, new Uint8Array(0))).code).toBe('VALIDATION_ERROR')
    const headers = { 'content-type': 'multipart/form-data; boundary=x' }
    for (const body of ['', '--x--', '--x\r\ncontent-disposition: form-data; name="other"\r\n\r\n1\r\n--x--\r\n'])
      expect([body, (await tab.post('/auth/set-picture', body, { headers })).code]).toEqual([
        body,
        expect.stringMatching(/^(VALIDATION_ERROR|BAD_REQUEST)$/),
      ])
    expect((await tab.post('/auth/set-picture', 'no form', { headers })).code).toBe('BAD_REQUEST')
    expect((await tab.post('/auth/set-picture', '--', { headers: { 'content-type': 'multipart/form-data' } })).code).toBe(
      'BAD_REQUEST',
    )
    expect(await rowsOf(tab)).toEqual([])
  })

  test.each(['/auth/set-picture', '/settings/profile'])(
    '%s refuses a form of 40,000 parts before it parses them',
    async (path) => {
      const tab = await app.signedIn()
      const body = `${'--x\r\ncontent-disposition: form-data; name="a"\r\n\r\n\r\n'.repeat(40_000)}--x--\r\n`
      const answer = await tab.post(path, body, { headers: { 'content-type': 'multipart/form-data; boundary=x' } })
      expect([answer.status, answer.body]).toEqual([400, { code: 'BAD_REQUEST', message: 'The form has more than 100 parts' }])
    },
  )

  test('refuses a form of another site, and changes nothing', async () => {
    const tab = await app.signedIn()
    const answer = await send(tab, await png(), 'me.png', { origin: 'https://evil.test' })
    expect([answer.status, answer.code]).toEqual([403, 'INVALID_ORIGIN'])
    expect(await rowsOf(tab)).toEqual([])
  })

  test('of two at once one wins, and no picture is left over', async () => {
    const tab = await app.signedIn()
    const answers = await Promise.all([send(tab, await png('red')), send(tab, await png('blue'))])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    const [row, ...more] = await rowsOf(tab)
    expect(more).toEqual([])
    const image = (await imageOf(tab)) ?? ''
    expect(image).toContain(`/${row?.name}.webp`)
    expect((await load(image)).status).toBe(200)
  })

  test('never touches the picture of another user', async () => {
    const other = await withPicture('blue')
    const tab = await withPicture('red')
    await send(tab, await png())
    await tab.post('/auth/remove-picture')
    expect(await imageOf(other)).toBe(other.image)
    expect((await load(other.image)).status).toBe(200)
  })

  test('allows 20 pictures in an hour to each user', async () => {
    const limited = await createTestApp({ RATE_LIMIT: 'on' })
    const [tab, other] = [await limited.signedIn(), await limited.signedIn()]
    const picture = Buffer.from(await png()).toString('base64')
    for (let count = 0; count < 20; count += 1) expect((await tab.post('/auth/set-picture', { picture })).status).toBe(200)
    expect((await tab.post('/auth/set-picture', { picture })).code).toBe('TOO_MANY_REQUESTS')
    expect((await other.post('/auth/set-picture', { picture })).status).toBe(200)
  })
})

describe('the address of a picture', () => {
  test('shows the picture to everyone, to keep for good, and runs nothing', async () => {
    const { image } = await withPicture()
    const { status, headers } = await load(image)
    expect([status, Object.fromEntries(headers)]).toEqual([
      200,
      expect.objectContaining({
        'content-type': 'image/webp',
        'cache-control': 'public, max-age=31536000, immutable',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        'x-content-type-options': 'nosniff',
        etag: expect.stringMatching(/^"[\w-]{43}"$/),
      }),
    ])
    expect(headers.has('set-cookie')).toBe(false)
  })

  test('answers 304 to a browser that has it, and to HEAD without a body', async () => {
    const { image } = await withPicture()
    const etag = (await load(image)).headers.get('etag') ?? ''
    for (const tags of [etag, `W/${etag}`, `"other", ${etag}`]) {
      const answer = await load(image, { headers: { 'if-none-match': tags } })
      expect([answer.status, answer.headers.get('etag'), await answer.text()]).toEqual([304, etag, ''])
    }
    expect((await load(image, { headers: { 'if-none-match': '"other"' } })).status).toBe(200)
    expect((await load(image, { method: 'HEAD' })).status).toBe(200)
  })

  test.each([
    'unknown.webp',
    '%7Bname%7D.webp',
    '{name}.webp',
    `${'a'.repeat(43)}.webp`,
    `${'a'.repeat(43)}.png`,
    '..%2f..%2fetc.webp',
    '%00.webp',
    'a/b.webp',
  ])('answers a code to %s', async (name) => {
    const answer = await app.browser().get(`/auth/pictures/${name}`)
    expect([answer.status, answer.code]).toEqual([404, expect.stringMatching(/^(PICTURE_)?NOT_FOUND$/)])
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })
})

test('all pictures are one route of the metrics', async () => {
  const measured = await createTestApp({ METRICS_TOKEN: 'what-only-prometheus-knows' })
  await measured.browser().get(`/auth/pictures/${'b'.repeat(43)}.webp`)
  const { body } = await measured.browser().get('/metrics', { headers: { authorization: 'Bearer what-only-prometheus-knows' } })
  expect(body).toContain('route="/auth/pictures/{name}.webp"')
  expect(body).not.toContain('bbbb')
})

describe('remove-picture', () => {
  test('removes the picture for good, and records nothing the second time', async () => {
    const tab = await withPicture()
    for (const _ of [1, 2]) expect((await tab.post('/auth/remove-picture')).body).toEqual({ status: true })
    expect([await imageOf(tab), await rowsOf(tab), (await load(tab.image)).status]).toEqual([null, [], 404])
    expect(await eventsOf(tab)).toHaveLength(2)
  })
})

describe('a picture of ours', () => {
  test('is deleted when update-user names another address or none, and stays when it names this one', async () => {
    const tab = await withPicture()
    await tab.post('/auth/update-user', { name: 'Changed', image: tab.image })
    expect(await rowsOf(tab)).toHaveLength(1)
    await tab.post('/auth/update-user', { image: 'https://pics.example.test/z.png' })
    expect(await rowsOf(tab)).toEqual([])
    await send(tab, await png())
    await tab.post('/auth/update-user', { image: null })
    expect(await rowsOf(tab)).toEqual([])
  })

  test('is no other user’s to remove by naming its address', async () => {
    const [owner, other] = [await withPicture(), await withPicture()]
    await other.post('/auth/update-user', { image: owner.image })
    await other.post('/auth/remove-picture')
    expect((await load(owner.image)).status).toBe(200)
  })

  test('is deleted with the account', async () => {
    const tab = await withPicture()
    expect((await tab.post('/auth/delete-user', { password: tab.person.password })).status).toBe(200)
    expect([await rowsOf(tab), (await load(tab.image)).status]).toEqual([[], 404])
  })

  test('is in the export of the user', async () => {
    const tab = await withPicture()
    const { body } = await tab.get('/auth/export-data')
    const [row] = await rowsOf(tab)
    expect(body).toMatchObject({
      picture: { type: 'image/webp', base64: Buffer.from(row?.content ?? []).toString('base64') },
    })
  })

  test('stays when an email change is undone', async () => {
    const tab = await withPicture()
    const { email: newEmail } = app.person()
    await tab.post('/auth/change-email', { newEmail })
    await app.drainMail()
    await tab.post('/auth/verify-email', { token: app.outbox.lastTo(newEmail).token })
    await app.drainMail()
    const { token } = app.outbox.lastTo(tab.person.email)
    expect((await app.browser().post('/auth/undo-email-change', { token })).status).toBe(200)
    expect([await imageOf(tab), (await load(tab.image)).status]).toEqual([tab.image, 200])
  })

  test('an undone email change brings back no address that answers no more', async () => {
    const tab = await withPicture()
    const { email: newEmail } = app.person()
    await tab.post('/auth/change-email', { newEmail })
    await app.drainMail()
    await tab.post('/auth/verify-email', { token: app.outbox.lastTo(newEmail).token })
    await app.drainMail()
    await send(tab, await png('blue'))
    await app.drainMail()
    expect(
      (await app.browser().post('/auth/undo-email-change', { token: app.outbox.lastTo(tab.person.email).token })).status,
    ).toBe(200)
    expect([await imageOf(tab), await rowsOf(tab)]).toEqual([null, []])
  })
})
