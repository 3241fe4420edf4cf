import { appRouter } from '@floorpass/api'
import { mutation } from '@floorpass/api/mutation'
import { expect, test } from 'vitest'

const procedures = Object.entries(
  appRouter._def.procedures as unknown as Record<string, { _def: { type: string; meta?: object } }>,
)

test('every mutation declares its access, sensitivity, limit, lock, events, mails and cookies', () => {
  const fields = ['access', 'sensitive', 'limit', 'events', 'mails', 'cookies', 'lock'].sort()
  for (const [name, { _def }] of procedures.filter(([, { _def }]) => _def.type === 'mutation'))
    expect([
      name,
      Object.keys(_def.meta ?? {})
        .filter((field) => field !== 'whileImpersonated')
        .sort(),
    ]).toEqual([name, fields])
})

const declaration = {
  access: 'session',
  sensitive: false,
  input: null,
  limit: null,
  events: ['update-user'],
  mails: ['password-set'],
  cookies: ['session'],
  lock: 'caller',
  change: async () => ({ events: [], result: null }),
} as const
const mail = { to: 'a@example.test', subject: '', text: '', html: '' }

/** Never called: the type checker proves it. */
export function typeErrors() {
  const { limit: _limit, ...withoutLimit } = declaration
  // @ts-expect-error A mutation without a limit.
  mutation(withoutLimit)
  const { sensitive: _sensitive, ...withoutSensitive } = declaration
  // @ts-expect-error A mutation that does not say whether it is sensitive.
  mutation(withoutSensitive)
  // @ts-expect-error A public mutation knows no caller: it asserts the lock itself.
  mutation({ ...declaration, access: 'public', sensitive: true })
  const { lock: _lock, ...withoutLock } = declaration
  // @ts-expect-error A mutation without a lock.
  mutation(withoutLock)
  const { events: _events, ...withoutEvents } = declaration
  // @ts-expect-error A mutation without events.
  mutation(withoutEvents)
  const { mails: _mails, ...withoutMails } = declaration
  // @ts-expect-error A mutation without mails.
  mutation(withoutMails)
  const { cookies: _cookies, ...withoutCookies } = declaration
  // @ts-expect-error A mutation without cookies.
  mutation(withoutCookies)
  // @ts-expect-error A change that forgets its events.
  mutation({ ...declaration, change: async () => ({ result: null }) })
  // @ts-expect-error An event that is not declared.
  mutation({ ...declaration, change: async () => ({ events: [{ action: 'sign-in' }], result: null }) })
  mutation({
    ...declaration,
    async change(tx, { ctx }) {
      await ctx.record(tx, { userId: ctx.user.id, action: 'update-user' })
      // @ts-expect-error An event that is not declared.
      await ctx.record(tx, { userId: ctx.user.id, action: 'sign-in' })
      await ctx.queueMail(tx, 'password-set', mail, null)
      // @ts-expect-error A mail that is not declared.
      await ctx.queueMail(tx, 'password-changed', mail, null)
      ctx.setCookie('session', '')
      // @ts-expect-error A cookie that is not declared.
      ctx.setCookie('known_device', '')
      return { events: [], result: null }
    },
  })
}
