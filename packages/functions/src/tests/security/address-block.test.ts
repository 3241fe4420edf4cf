import { addressBlock } from '@floorpass/api/address-block'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { describe, expect, test } from 'vitest'

describe('the address block that counts as one caller', () => {
  test('T21: is the /64 of an IPv6 address', () => {
    const household = Array.from({ length: 200 }, (_, host) => addressBlock(`2001:db8:1:2::${host.toString(16)}`))
    expect(new Set(household)).toEqual(new Set(['2001:db8:1:2::/64']))
    expect(addressBlock('2001:db8:1:2:ffff:ffff:ffff:ffff')).toBe('2001:db8:1:2::/64')
    expect(addressBlock('2001:db8:1:3::1')).toBe('2001:db8:1:3::/64')
  })

  test.each([
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['2001:db8::', '2001:db8:0:0::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8:0:1::', '2001:db8:0:1::/64'],
    ['fe80::1:2:3:4', 'fe80:0:0:0::/64'],
    ['1:2:3:4:5:6:7:8', '1:2:3:4::/64'],
    ['1::5:6:7:8', '1:0:0:0::/64'],
    ['1:2:3::6:7:8', '1:2:3:0::/64'],
    ['192.0.2.1', '192.0.2.1'],
  ])('T21: of %s is %s', (address, block) => {
    expect(addressBlock(address)).toBe(block)
  })

  test('T25: is the same for all callers without an IP address', () => {
    expect(addressBlock(null)).toBe('unknown')
  })
})

describe('the rate limit of a caller', async () => {
  const app = await createTestApp({ RATE_LIMIT: 'on' })
  const tryFrom = (ip: string | null) =>
    app.browser().post('/auth/reset-password', { token: 'nonsense', newPassword: 'violet harbor ladder' }, { ip })

  test('T21: counts every spelling of an IPv6 address and its whole /64 together', async () => {
    const spellings = [
      '2001:db8:aa:bb::1',
      '2001:0db8:00aa:00bb:0000:0000:0000:0001',
      '2001:DB8:AA:BB::1',
      '2001:db8:aa:bb:9:9:9:9',
    ]
    const answers = await Promise.all(Array.from({ length: 40 }, (_, count) => tryFrom(spellings[count % 4] ?? '')))
    expect(answers.filter(({ code }) => code === 'INVALID_TOKEN')).toHaveLength(20)
    expect((await tryFrom('2001:db8:aa:bc::1')).code).toBe('INVALID_TOKEN')
  })

  test('T21: counts an IPv4 address inside IPv6 as the IPv4 address', async () => {
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, count) => tryFrom(['192.0.2.99', '::ffff:192.0.2.99', '::FFFF:c000:263'][count % 3] ?? '')),
    )
    expect(answers.filter(({ code }) => code === 'INVALID_TOKEN')).toHaveLength(20)
    expect((await tryFrom('192.0.2.98')).code).toBe('INVALID_TOKEN')
  })

  test('T25: counts all callers without an IP address together', async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, () => tryFrom(null)))
    expect(answers.filter(({ code }) => code === 'INVALID_TOKEN')).toHaveLength(20)
  })
})
