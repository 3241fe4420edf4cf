import { assertRedirectTarget, findRedirectTarget } from '@floorpass/api/redirect-target'
import { describe, expect, test } from 'vitest'

const { href: pageTargets } = new URL('../../../../../apps/web/app/redirect-target.ts', import.meta.url)
const { withTarget } = (await import(pageTargets)) as { withTarget(path: string, target: string): string }

const trusted = ['https://app.example.test', 'http://localhost:3000']

const findPath = (target: unknown) => findRedirectTarget(target, [])

const isAllowed = (target: string): boolean => {
  try {
    assertRedirectTarget(target, trusted, 'INVALID_CALLBACK_URL')
    return true
  } catch (error) {
    expect(error).toMatchObject({ key: 'INVALID_CALLBACK_URL', status: 403 })
    return false
  }
}

const allowedPaths = [
  '/',
  '/dashboard',
  '/dashboard?tab=1&next=https://evil.test#top',
  '/a/../b',
  '/a?x=//evil.test',
  '/a%20b?c=%2F',
  '/@evil.test',
  '/a:b',
  '/..',
  '/?',
]

const refusedTargets = [
  '',
  ' ',
  'dashboard',
  './dashboard',
  '?x',
  '#x',
  '//evil.test',
  '///evil.test',
  '/\\evil.test',
  '\\/evil.test',
  '\\\\evil.test',
  '/a\\b',
  '/a//evil.test',
  '/..//evil.test',
  '/%2fevil.test',
  '/%2F/evil.test',
  '/%5cevil.test',
  '/%5C%5Cevil.test',
  '/%09/evil.test',
  '/%0d%0aLocation:%20https://evil.test',
  '/%00',
  '/%1f/evil.test',
  '/%1A',
  '/\t/evil.test',
  '/\n/evil.test',
  '/\r/evil.test',
  '/\u0000',
  '/\u007f',
  ' /dashboard',
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'java\nscript:alert(1)',
  'data:text/html,x',
  'vbscript:x',
  'blob:https://app.example.test/x',
  'file:///etc/passwd',
  'https:evil.test',
  'https:/evil.test',
  'https://evil.test',
  'https:\\\\evil.test',
  'https://app.example.test@evil.test',
  'https://app.example.test:x@evil.test',
  'https://user@app.example.test/',
  'https://user:word@app.example.test/',
  'https://app.example.test.evil.test',
  'https://evilapp.example.test',
  'https://sub.app.example.test',
  'http://app.example.test',
  'https://app.example.test:8443',
  'https://app.example.test.',
  'http://localhost:3001',
  'http://localhost',
  'https://app.example.test\\@evil.test',
  'https://app.example.test\t.evil.test',
  'https://app.example.test /',
  ' https://app.example.test/',
  'https://evil.test#https://app.example.test',
  'https://evil.test?https://app.example.test',
  'https://аpp.example.test',
  'https://[::1]:3000/',
  'https://',
  '*',
  'null',
]

describe('a redirect target', () => {
  test.each(allowedPaths)('T63: may be %j, which stays on this origin', (target) => {
    expect(isAllowed(target)).toBe(true)
    expect(findPath(target)).toBe(target)
  })

  test.each([
    'https://app.example.test',
    'https://app.example.test/dashboard?x=1#y',
    'HTTPS://APP.example.test/',
    'https://app.example.test:443/',
    'http://localhost:3000/',
  ])('T63: may be %j, which is on a trusted origin but is no path', (target) => {
    expect(isAllowed(target)).toBe(true)
    expect(findRedirectTarget(target, trusted)).toBe(new URL(target).href)
    expect(findPath(target)).toBeNull()
  })

  test.each(refusedTargets)('T63: may not be %j', (target) => {
    expect(isAllowed(target)).toBe(false)
    expect(findRedirectTarget(target, trusted)).toBeNull()
  })

  test('T63: ends on a trusted origin in a browser when it is allowed', () => {
    for (const target of [...allowedPaths, ...refusedTargets].filter(isAllowed)) {
      expect(new URL(target, 'https://app.example.test').origin).toBe('https://app.example.test')
    }
  })

  test('is text of at most 2,048 characters', () => {
    expect(findPath(`/${'a'.repeat(2047)}`)).not.toBeNull()
    for (const value of [`/${'a'.repeat(2048)}`, undefined, null, 7, ['/dashboard'], { toString: () => '/dashboard' }])
      expect(findPath(value)).toBeNull()
    const long = `https://app.example.test/${'a'.repeat(2048)}`
    expect(findRedirectTarget(long.slice(0, 2048), trusted)).not.toBeNull()
    expect(findRedirectTarget(long.slice(0, 2049), trusted)).toBeNull()
  })

  test('is as long on a page as the API accepts', () => {
    const fitsPage = (length: number) => withTarget('/login', 'a'.repeat(length - '/login?redirectTo='.length)) !== '/login'
    const fitsApi = (length: number) => findPath(`/${'a'.repeat(length - 1)}`) !== null
    expect([2048, 2049].map(fitsPage)).toEqual([2048, 2049].map(fitsApi))
  })

  test('may be missing', () => {
    expect(assertRedirectTarget(undefined, trusted, 'INVALID_CALLBACK_URL')).toBeUndefined()
  })
})

test('a target outside ASCII is percent-encoded, because a Location header cannot hold it', () => {
  expect(findPath('/整理?é=1#ü')).toBe('/%E6%95%B4%E7%90%86?%C3%A9=1#%C3%BC')
  expect(findPath('/dashboard?tab=%C3%A9')).toBe('/dashboard?tab=%C3%A9')
  expect(findPath('/\ud800')).toBeNull()
})
