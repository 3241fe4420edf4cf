import { createSecretBox } from '@floorpass/api'
import { describe, expect, test } from 'vitest'

const old = 'the old secret, long enough for everybody'
const next = 'the next secret, long enough for everybody'
const place = ['queued_mails.mail_sealed', 'a row'] as const
const text = 'a token, a name: Zoë 🔑'

describe('the secret box', () => {
  test('opens what it sealed, and never seals twice alike', () => {
    const box = createSecretBox([old])
    const sealed = Array.from({ length: 100 }, () => box.seal(text, place))
    expect(new Set(sealed).size).toBe(100)
    for (const one of sealed) {
      expect(box.open(one, place)).toBe(text)
      expect(one).not.toContain(text)
      expect(one).not.toContain(Buffer.from(text).toString('base64url'))
    }
    expect(box.open(box.seal('', place), place)).toBe('')
  })

  test('T181: the first secret seals, every listed one opens, one that was removed does not', () => {
    const before = createSecretBox([old]).seal(text, place)
    const rotated = createSecretBox([next, old])
    expect(rotated.open(before, place)).toBe(text)
    expect(createSecretBox([next]).open(rotated.seal(text, place), place)).toBe(text)
    expect(() => createSecretBox([next]).open(before, place)).toThrow('sealed with a secret that AUTH_SECRET no longer lists')
    expect(() => createSecretBox([old]).open(rotated.seal(text, place), place)).toThrow(
      'sealed with a secret that AUTH_SECRET no longer lists',
    )
  })

  test('opens nothing that was altered, in any byte', () => {
    const box = createSecretBox([old])
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

  test('opens no other spelling of what it sealed', () => {
    const box = createSecretBox([old])
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

  test.each(['', '.', '1', '1..', '2.x.y', 'nonsense', '1.aaaaaaaa.AAAA', '2.aaaaaaaa.AAAA'])('opens no %j', (sealed) => {
    expect(() => createSecretBox([old]).open(sealed, place)).toThrow(Error)
  })

  test('does not exist without a secret', () => {
    expect(() => createSecretBox([])).toThrow('createSecretBox needs at least one secret')
  })
})
