import { createTestApp } from '@floorpass/testing/create-test-app'
import { processorTimeBelow } from '@floorpass/testing/processor-time'
import { describe, expect, test } from 'vitest'
import { clientAddress, trustedProxies } from '../../http/client-address.ts'

const noProxies = trustedProxies([])
const proxies = trustedProxies([
  '10.0.0.0/8',
  '192.0.2.1/32',
  '198.51.100.200',
  '2001:db8:eeee::1',
  '2001:db8:ffff::/48',
  '::1/128',
])

describe('the IP address of a caller', () => {
  test.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:203.0.113.7', '203.0.113.7'],
    ['::ffff:cb00:7107', '203.0.113.7'],
    ['0:0:0:0:0:ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8::1', '2001:db8::1'],
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['2001:0db8:0000:0000:0000:0000:0000:0001', '2001:db8::1'],
    ['2001:db8::0.0.0.1', '2001:db8::1'],
    ['::1', '::1'],
    ['fe80::1%eth0', null],
    ['2001:db8::1%25eth0', null],
    ['unix:', null],
    ['203.0.113.07', null],
    ['', null],
    [null, null],
  ])('T21: is the same for every spelling: %j', (peer, expected) => {
    expect(clientAddress(peer, null, noProxies)).toBe(expected)
  })

  test.each(['198.51.100.1', '198.51.100.1, 198.51.100.2', 'unknown', '', '10.0.0.1', '::1'])(
    'T153: ignores the forwarding header of an untrusted peer: %j',
    (forwarded) => {
      expect(clientAddress('203.0.113.7', forwarded, noProxies)).toBe('203.0.113.7')
      expect(clientAddress('203.0.113.7', forwarded, proxies)).toBe('203.0.113.7')
    },
  )

  test.each([
    ['198.51.100.1', '198.51.100.1'],
    [' 198.51.100.1 ', '198.51.100.1'],
    ['198.51.100.1,10.0.0.2', '198.51.100.1'],
    ['198.51.100.1, 198.51.100.200', '198.51.100.1'],
    ['198.51.100.1, 2001:db8:eeee::1', '198.51.100.1'],
    ['198.51.100.1, 198.51.100.201', '198.51.100.201'],
    ['1.1.1.1, 198.51.100.1, 10.0.0.2 ,10.255.0.1', '198.51.100.1'],
    ['1.1.1.1, 10.0.0.2, 198.51.100.1', '198.51.100.1'],
    ['198.51.100.1, ::ffff:10.0.0.2', '198.51.100.1'],
    ['198.51.100.1, 2001:DB8:FFFF::9', '198.51.100.1'],
    ['2001:DB8:0::1, 192.0.2.1', '2001:db8::1'],
    ['10.0.0.9', '10.0.0.9'],
    ['10.0.0.9, 10.0.0.8', '10.0.0.9'],
    ['198.51.100.1:443', '198.51.100.1'],
    ['198.51.100.1:443, 10.0.0.2:80', '198.51.100.1'],
    ['[2001:DB8::1]', '2001:db8::1'],
    ['[2001:db8::1]:443', '2001:db8::1'],
  ])('T153: behind trusted proxies is the right-most hop that is not a proxy: %j', (forwarded, expected) => {
    for (const peer of ['10.0.0.1', '::ffff:10.0.0.1', '::1', '2001:db8:ffff:1::2'])
      expect(clientAddress(peer, forwarded, proxies)).toBe(expected)
  })

  test.each([
    ['', '10.0.0.1'],
    [null, '10.0.0.1'],
    ['unknown', '10.0.0.1'],
    ['198.51.100.1, unknown', '10.0.0.1'],
    ['198.51.100.1, ', '10.0.0.1'],
    [',,,', '10.0.0.1'],
    ['2001:db8::1]:443', '10.0.0.1'],
    ['198.51.100.1:443:443', '10.0.0.1'],
    ['198.51.100.1:', '10.0.0.1'],
    ['fe80::1%eth0', '10.0.0.1'],
    ['fe80::1%10.0.0.9', '10.0.0.1'],
    ['198.51.100.01', '10.0.0.1'],
    ['0xc6336401', '10.0.0.1'],
    ['3325256705', '10.0.0.1'],
    ['198.51.100.1;198.51.100.2', '10.0.0.1'],
    ['"198.51.100.1"', '10.0.0.1'],
    ['for=198.51.100.1', '10.0.0.1'],
    ['198.51.100.1\u0000', '10.0.0.1'],
    ['198.51.100.1, 10.0.0.9, x', '10.0.0.1'],
    ['198.51.100.1, x, 10.0.0.9', '10.0.0.9'],
    ['x'.repeat(10_240), '10.0.0.1'],
    [`${'1.1.1.1,'.repeat(1500)}x`, '10.0.0.1'],
    [','.repeat(10_240), '10.0.0.1'],
  ])('T153: stops at a hop that is not an IP address: %j', (forwarded, expected) => {
    expect(clientAddress('10.0.0.1', forwarded, proxies)).toBe(expected)
  })

  test('T153: is read fast from the right of a long header', async () => {
    expect(clientAddress('10.0.0.1', `${'1.1.1.1,'.repeat(1500)}198.51.100.1,10.0.0.2`, proxies)).toBe('198.51.100.1')
    const cost = (hops: number) => processorTimeBelow(50, () => clientAddress('10.0.0.1', '10.0.0.2,'.repeat(hops), proxies))
    expect(await cost(200_000)).toBeLessThan(50)
  })
})

describe("a session's IP address", () => {
  const findAddressOfSignIn = async (environment: Record<string, string>, ip: string, headers: Record<string, string>) => {
    const app = await createTestApp(environment)
    const { email, password } = await app.verified()
    const tab = app.browser({ ip })
    expect((await tab.post('/auth/sign-in/email', { email, password }, { headers })).status).toBe(200)
    const { session } = (await tab.get('/auth/get-session')).body as { session: { ipAddress: string } }
    return session.ipAddress
  }

  test('comes from the forwarding header of a trusted proxy', async () => {
    const forwarded = { 'x-forwarded-for': '1.1.1.1, 2001:DB8::0001, 10.0.0.2' }
    expect(await findAddressOfSignIn({ TRUST_PROXY: 'private,loopback' }, '127.0.0.1', forwarded)).toBe('2001:db8::1')
  })

  test('is the peer when no proxy is trusted', async () => {
    const forged = {
      'x-forwarded-for': '1.1.1.1',
      'x-real-ip': '1.1.1.1',
      forwarded: 'for=1.1.1.1',
      'cf-connecting-ip': '1.1.1.1',
      'true-client-ip': '1.1.1.1',
    }
    expect(await findAddressOfSignIn({}, '127.0.0.1', forged)).toBe('127.0.0.1')
  })
})

describe('T154: rate limits behind a trusted proxy', async () => {
  const limited = await createTestApp({ RATE_LIMIT: 'on', TRUST_PROXY: '10.0.0.0/8' })
  const signUps = (count: number, ip: string, createHeaders: (place: number) => Record<string, string>) =>
    Promise.all(
      Array.from({ length: count }, (_, place) =>
        limited.browser({ ip }).post('/auth/sign-up/email', limited.person(), { headers: createHeaders(place) }),
      ),
    )
  const countRefused = (answers: { status: number }[]) => answers.filter(({ status }) => status === 429).length

  test('count each caller separately', async () => {
    expect(countRefused(await signUps(20, '10.0.0.1', (place) => ({ 'x-forwarded-for': `198.51.100.${place}` })))).toBe(0)
  })

  test('count every spelling, forged hop and other header as the same caller', async () => {
    const spellings = ['2001:db8::7', '2001:DB8::7', '2001:db8:0:0:0:0:0:7', '2001:0db8::0007', '2001:db8::0.0.0.7']
    const answers = await signUps(20, '10.0.0.1', (place) => ({
      'x-forwarded-for': `203.0.113.${place}, ${spellings[place % spellings.length]}, 10.0.0.${place}`,
      'x-real-ip': `203.0.113.${place}`,
      'cf-connecting-ip': `203.0.113.${place}`,
      'true-client-ip': `203.0.113.${place}`,
      forwarded: `for=203.0.113.${place}`,
    }))
    expect(countRefused(answers)).toBe(10)
  })

  test('count an invalid header for the proxy itself', async () => {
    expect(countRefused(await signUps(20, '10.9.9.9', (place) => ({ 'x-forwarded-for': `garbage-${place}` })))).toBe(10)
  })
})
