import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { createOperator, findWebhookUrlProblem } from '@floorpass/api/administration'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { eventually } from '@floorpass/testing/eventually'
import { holdTimeouts } from '@floorpass/testing/timeouts'
import { addEvents, addWebhook, createQueue, deliveryOf, privateTargets, startReceiver } from '@floorpass/testing/webhooks'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'

const app = await createTestApp()
const openApp = await createTestApp(privateTargets)

beforeEach(async () => {
  await app.db.webhook.deleteMany()
  await openApp.db.webhook.deleteMany()
})

const hidden4 = {
  unspecified: '0.0.0.0',
  'of this network': '0.1.2.3',
  'private (10)': '10.0.0.1',
  'private (172)': '172.31.255.254',
  'private (192)': '192.168.1.1',
  'of carriers': '100.64.0.1',
  'of carriers, at the last address': '100.127.255.255',
  loopback: '127.0.0.1',
  'loopback, at its end': '127.255.255.254',
  'link-local, of a cloud': '169.254.169.254',
  'of protocols': '192.0.0.1',
  'of documentation': '192.0.2.1',
  'of 6to4 relays': '192.88.99.1',
  'of benchmarks': '198.18.0.1',
  multicast: '224.0.0.1',
  reserved: '240.0.0.1',
  broadcast: '255.255.255.255',
}
const hidden6 = {
  'unspecified v6': '::',
  'loopback v6': '::1',
  'v4-compatible': '::7f00:1',
  'v4-mapped loopback': '::ffff:7f00:1',
  'v4-mapped public': '::ffff:808:808',
  'v4-translated': '::ffff:0:7f00:1',
  NAT64: '64:ff9b::7f00:1',
  'local NAT64': '64:ff9b:1::a00:1',
  discard: '100::1',
  'of dummies': '100:0:0:1::1',
  Teredo: '2001::1',
  'benchmarks v6': '2001:2::1',
  ORCHID: '2001:20::1',
  'documentation v6': '2001:db8::1',
  'more documentation v6': '3fff::1',
  '6to4': '2002:7f00:1::',
  'segment routing': '5f00::1',
  'unallocated v6': '4000::1',
  'unique-local (fc)': 'fc00::1',
  'unique-local (fd)': 'fd12:3456::1',
  'link-local v6': 'fe80::1',
  'site-local': 'fec0::1',
  'multicast v6': 'ff02::1',
}
const hidden = { ...hidden4, ...hidden6 }

type Resolve = (hostname: string) => Promise<{ address: string; family: number }[]>

/** Sends one event to every URL, and returns the error of each. */
async function sendToAll(urls: string[], resolve: Resolve = async () => []) {
  for (const url of urls) await addWebhook(app, url)
  await addEvents(app, ['ada'])
  await createQueue(app, { resolve }).drain()
  const webhooks = await app.db.webhook.findMany({ orderBy: { id: 'asc' }, include: { deliveries: true } })
  return webhooks.map(({ url, deliveries }) => [url, deliveries[0]?.lastError] as const)
}

/** Records the addresses to which this process connects by https. */
function watchConnections(): string[] {
  const opened: string[] = []
  const watch = (message: unknown) =>
    (message as { socket: Socket }).socket.on('connectionAttempt', (address, port) => void (port === 443 && opened.push(address)))
  subscribe('net.client.socket', watch)
  onTestFinished(() => void unsubscribe('net.client.socket', watch))
  return opened
}

describe('without private targets', () => {
  test('refuses every address that is not public', async () => {
    const urls = Object.values(hidden).map((address) => `https://${address.includes(':') ? `[${address}]` : address}/hook`)
    const problems = urls.map((url) => findWebhookUrlProblem(createOperator(app.service.deps, 'grace'), url))
    expect(problems.map((problem, index) => [urls[index], String(problem)])).toEqual(
      urls.map((url) => [url, expect.stringMatching(/ is not a public address$/)]),
    )
    const errors = await sendToAll(urls)
    expect(errors).toEqual(urls.map((url) => [url, expect.stringMatching(/^The URL is refused: .* is not a public address$/)]))
  })

  test.each([
    ['one number', '2130706433'],
    ['hexadecimal', '0x7f000001'],
    ['hexadecimal parts', '0x7f.0x0.0x0.0x1'],
    ['octal', '0177.0.0.1'],
    ['two parts', '127.1'],
    ['three parts', '10.0.1'],
    ['zero', '0'],
    ['a dot at the end', '127.0.0.1.'],
    ['wide digits', '１２７.０.０.１'],
    ['encoded dots', '127%2e0%2e0%2e1'],
    ['a mapped IPv4 address with dots', '[::ffff:127.0.0.1]'],
  ])('refuses an address written as %s', async (_, host) => {
    const [[, error] = []] = await sendToAll([`https://${host}/hook`])
    expect(error).toMatch(/^The URL is refused: .* is not a public address$/)
  })

  test.each(Object.entries(hidden))(
    'refuses a name that leads to an address that is %s, alone or beside a public one',
    async (_, address) => {
      const opened = watchConnections()
      const one = { address, family: address.includes(':') ? 6 : 4 }
      const resolve = vi.fn(async () => [one])
      resolve.mockResolvedValueOnce([{ address: '2d00::1', family: 6 }, one])
      const errors = await sendToAll(['https://both.example.test/', 'https://alone.example.test/'], resolve)
      for (const [, error] of errors) expect(error).toMatch(new RegExp(`leads to ${address}, which is not a public address$`))
      expect(resolve).toHaveBeenCalledTimes(2)
      expect(opened).toEqual([])
    },
  )

  test('refuses a zone, a name without an address and a resolver that fails', async () => {
    const resolve = async (hostname: string) => {
      if (hostname === 'zone.example.test') return [{ address: 'fe80::1%eth0', family: 6 }]
      if (hostname === 'empty.example.test') return []
      throw Object.assign(new Error('getaddrinfo ENOTFOUND lost.example.test'), { code: 'ENOTFOUND' })
    }
    const urls = ['https://zone.example.test/', 'https://empty.example.test/', 'https://lost.example.test/']
    expect((await sendToAll(urls, resolve)).map(([, error]) => error)).toEqual([
      'zone.example.test leads to fe80::1%eth0, which is not a public address',
      'empty.example.test has no address',
      'ENOTFOUND: getaddrinfo ENOTFOUND lost.example.test',
    ])
  })

  test('resolves a name once and connects to the address that it checked, whatever the name says later', async () => {
    const timeouts = holdTimeouts()
    const opened = watchConnections()
    // The address belongs to no network: IANA has not allocated it.
    const resolve = vi.fn(async () => [{ address: '127.0.0.1', family: 4 }])
    resolve.mockResolvedValueOnce([{ address: '2d00::1', family: 6 }])
    const sending = sendToAll(['https://rebinding.example.test/'], resolve)
    await eventually(() => expect(opened).toEqual(['2d00::1']))
    timeouts.fire()
    await sending
    expect(resolve.mock.calls).toEqual([['rebinding.example.test']])
    expect(opened).toEqual(['2d00::1'])
  })

  test.each([
    ['http://hooks.example.test/', 'it does not begin with https://'],
    ['ftp://hooks.example.test/', 'it does not begin with https://'],
    ['https://ada@hooks.example.test/', 'it contains a user name or a password'],
    ['https://:secret@hooks.example.test/', 'it contains a user name or a password'],
    ['https://hooks.example.test/#part', 'it contains a #'],
    ['hooks.example.test', 'it is not a URL of at most 2048 characters'],
    [`https://hooks.example.test/${'x'.repeat(2022)}`, 'it is not a URL of at most 2048 characters'],
  ])('refuses %s', async (url, problem) => {
    expect(findWebhookUrlProblem(createOperator(app.service.deps, 'grace'), url)).toBe(problem)
    const [[, error] = []] = await sendToAll([url])
    expect(error).toBe(`The URL is refused: ${problem}`)
  })

  test('accepts a public name, a public address and a URL of 2048 characters', () => {
    const urls = [
      'https://hooks.example.test/',
      'https://8.8.8.8:8443/a?b=c',
      'https://[2606:4700::1]/',
      `https://hooks.example.test/${'x'.repeat(2021)}`,
    ]
    const operator = createOperator(app.service.deps, 'grace')
    expect(urls.map((url) => findWebhookUrlProblem(operator, url))).toEqual([null, null, null, null])
  })
})

describe('with private targets', () => {
  test('sends to this machine by http, with the name of the URL and to the address that it resolved', async () => {
    const receiver = await startReceiver()
    const { port } = new URL(receiver.url)
    const resolve = vi.fn(async () => [{ address: '192.0.2.1', family: 4 }])
    resolve.mockResolvedValueOnce([{ address: '127.0.0.1', family: 4 }])
    const { id } = await addWebhook(openApp, `http://hooks.example.test:${port}/`)
    await addEvents(openApp, ['ada'])
    await createQueue(openApp, { resolve }).drain()
    expect(await deliveryOf(openApp, id)).toMatchObject({ status: 'delivered' })
    expect(receiver.received[0]?.headers.host).toBe(`hooks.example.test:${port}`)
    expect(resolve).toHaveBeenCalledTimes(1)
  })

  test('tries every address of a name', async () => {
    const receiver = await startReceiver()
    const { port } = new URL(receiver.url)
    const addresses = [
      { address: '::1', family: 6 },
      { address: '127.0.0.1', family: 4 },
    ]
    const { id } = await addWebhook(openApp, `http://hooks.example.test:${port}/`)
    await addEvents(openApp, ['ada'])
    await createQueue(openApp, { resolve: async () => addresses }).drain()
    expect(await deliveryOf(openApp, id)).toMatchObject({ status: 'delivered' })
  })

  test.each(['https://ada:secret@127.0.0.1/', 'https://127.0.0.1/#part', 'ftp://127.0.0.1/'])('still refuses %s', (url) => {
    expect(findWebhookUrlProblem(createOperator(openApp.service.deps, 'grace'), url)).not.toBe(null)
  })
})
