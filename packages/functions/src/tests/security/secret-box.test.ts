import { createSecretBox } from '@floorpass/api'
import { describe, expect, test } from 'vitest'

const oldSecret = 'the old secret, long enough for tests'
const nextSecret = 'the next secret, long enough for tests'
const place = ['queued_mails.mail_sealed', 'a row'] as const
const text = 'a token, a name: Zoë 🔑'

describe('the secret box', () => {
  test('opens what it sealed, and seals the same text differently each time', () => {
    const box = createSecretBox([oldSecret])
    const sealed = Array.from({ length: 100 }, () => box.seal(text, place))
    expect(new Set(sealed).size).toBe(100)
    for (const one of sealed) {
      expect(box.open(one, place)).toBe(text)
      expect(one).not.toContain(text)
      expect(one).not.toContain(Buffer.from(text).toString('base64url'))
    }
    expect(box.open(box.seal('', place), place)).toBe('')
  })

  test('T181: seals with the first secret, and opens with every listed one but no removed one', () => {
    const before = createSecretBox([oldSecret]).seal(text, place)
    const rotated = createSecretBox([nextSecret, oldSecret])
    expect(rotated.open(before, place)).toBe(text)
    expect(createSecretBox([nextSecret]).open(rotated.seal(text, place), place)).toBe(text)
    expect(() => createSecretBox([nextSecret]).open(before, place)).toThrow(
      'sealed with a secret that AUTH_SECRET no longer lists',
    )
    expect(() => createSecretBox([oldSecret]).open(rotated.seal(text, place), place)).toThrow(
      'sealed with a secret that AUTH_SECRET no longer lists',
    )
  })

  test('does not open a value with any byte altered or cut', () => {
    const box = createSecretBox([oldSecret])
    const [version, id, data = ''] = box.seal(text, place).split('.')
    const bytes = Buffer.from(data, 'base64url')
    for (let index = 0; index < bytes.length; index += 1) {
      const altered = Buffer.from(bytes)
      altered[index] = (altered[index] ?? 0) ^ 1
      expect(() => box.open([version, id, altered.toString('base64url')].join('.'), place)).toThrow(Error)
    }
    for (let length = 0; length < bytes.length; length += 1) {
      expect(() => box.open([version, id, bytes.subarray(0, length).toString('base64url')].join('.'), place)).toThrow(Error)
    }
  })

  test('does not open another spelling of a sealed value', () => {
    const box = createSecretBox([oldSecret])
    const sealed = box.seal(text, place)
    for (const spelling of [
      `${sealed}.1`,
      `${sealed}.`,
      `${sealed}=`,
      `${sealed}*`,
      `${sealed.slice(0, 20)}*${sealed.slice(20)}`,
    ])
      expect(() => box.open(spelling, place)).toThrow(Error)
  })

  test.each(['', '.', '1', '1..', '2.x.y', 'nonsense', '1.aaaaaaaa.AAAA', '2.aaaaaaaa.AAAA'])('does not open %j', (sealed) => {
    expect(() => createSecretBox([oldSecret]).open(sealed, place)).toThrow(Error)
  })

  test('needs at least one secret', () => {
    expect(() => createSecretBox([])).toThrow('createSecretBox needs at least one secret')
  })
})
