import { createSecretBox } from '@floorpass/api'
import { holdClock } from '@floorpass/testing/clock'
import { expect, test } from 'vitest'
import { carryEmail, dropCarriedEmail, getCarriedEmail } from '../../http/email-cookie.ts'

const secretBox = createSecretBox(['a secret of the service, long enough'])

function openBrowser(secure = false) {
  const kept = new Map<string, string>()
  const headers: string[] = []
  const cookies = {
    get: (name: string) => kept.get(name),
    all: () => [],
    set: (header: string) => {
      headers.push(header)
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(header) ?? []
      if (value === '') kept.delete(name)
      else kept.set(name, value)
    },
  }
  return { scope: { cookies, secretBox, settings: { cookie: { secure } } }, kept, headers }
}
const email = 'ada@example.test'

test('a typed address is sealed, for ten minutes, on this host only', () => {
  const { scope, kept, headers } = openBrowser(true)
  carryEmail(scope, email)
  expect(headers).toEqual([
    expect.stringMatching(/^__Host-floorpass_email=[\w.-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/),
  ])
  expect(Buffer.from([...kept.values()].join(), 'base64url').toString('latin1')).not.toContain('ada')
  expect(getCarriedEmail(scope)).toBe(email)
})

test('ten minutes later it is not read, even if the browser still sends it', () => {
  const clock = holdClock()
  const { scope } = openBrowser()
  carryEmail(scope, email)
  clock.advance(599)
  expect(getCarriedEmail(scope)).toBe(email)
  clock.advance(1)
  expect(getCarriedEmail(scope)).toBe('')
})

test('it is dropped once, and then nothing is set', () => {
  const { scope, headers } = openBrowser()
  dropCarriedEmail(scope)
  expect(headers).toEqual([])
  carryEmail(scope, email)
  dropCarriedEmail(scope)
  expect(headers.at(-1)).toBe('floorpass_email=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax')
  expect(getCarriedEmail(scope)).toBe('')
})

test('a planted value, another sealed value and an endless address are ignored', () => {
  const { scope, kept, headers } = openBrowser()
  const sealed = (place: 'known_device' | 'email') => secretBox.seal(JSON.stringify({ email, until: Date.now() + 1000 }), [place])
  for (const value of ['ada@example.test', '<script>', '2.x.y', sealed('known_device')]) {
    kept.set('floorpass_email', value)
    expect([value, getCarriedEmail(scope)]).toEqual([value, ''])
  }
  kept.set('floorpass_email', sealed('email'))
  expect(getCarriedEmail(scope)).toBe(email)
  carryEmail(scope, `${'a'.repeat(5000)}@example.test`)
  carryEmail(scope, '')
  expect(headers).toEqual([])
})
