import { processorTimeBelow } from '@floorpass/testing/processor-time'
import { describe, expect, test } from 'vitest'
import { requestCookies } from '../../http/cookies.ts'

const readCookies = (header: string | null) => Object.fromEntries(requestCookies(header))

describe('the cookies of a request', () => {
  test.each([
    [null, {}],
    ['', {}],
    ['a=1', { a: '1' }],
    ['a=1; b=2', { a: '1', b: '2' }],
    ['a=1;b=2', { a: '1', b: '2' }],
    ['  a = 1 ;  b=2  ', { a: '1', b: '2' }],
    ['a=b=c==', { a: 'b=c==' }],
    ['a=', { a: '' }],
    ['a="quoted"', { a: '"quoted"' }],
    ['a=%41', { a: '%41' }],
    ['A=1; a=2', { A: '1', a: '2' }],
  ])('are read from %j', (header, expected) => {
    expect(readCookies(header)).toEqual(expected)
  })

  test.each(['a', '=', '=1', ';', ';;;', 'a;b', ' ; ', '=; a'])('are empty in %j', (header) => {
    expect(readCookies(header)).toEqual({})
  })

  test('T141: leave out a name with two different values, and keep a repeated one', () => {
    expect(readCookies('a=1; b=2; a=3')).toEqual({ b: '2' })
    expect(readCookies('a=1; a=2; a=1')).toEqual({})
    expect(readCookies('a=1; a=')).toEqual({})
    expect(readCookies('a=1; b=2; a=1')).toEqual({ a: '1', b: '2' })
  })

  test('may be named like a property of every object', () => {
    expect([...requestCookies('__proto__=x; constructor=y; toString=z')]).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
      ['toString', 'z'],
    ])
  })

  test('are read fast from a long header', async () => {
    const cost = await processorTimeBelow(200, () => {
      requestCookies('a=1; '.repeat(20_000))
      requestCookies('='.repeat(100_000))
      requestCookies(Array.from({ length: 10_000 }, (_, count) => `c${count}=${count}`).join('; '))
    })
    expect(cost).toBeLessThan(200)
  })
})
