import { expect, test } from 'vitest'

const { href } = new URL('../../../../../apps/web/app/protection-forms.ts', import.meta.url)
const { protectionForms } = (await import(href)) as {
  protectionForms(state: object, failed: string | undefined): string[]
}

const open = { locked: false, kind: null, unlockAt: null, hasKey: false }
const locked = { locked: true, kind: 'owner', unlockAt: null, hasKey: true }
const fresh = {
  isReauthenticated: true,
  hasPasskeys: true,
  passkey: 'ready',
  phrase: null,
  hold: { until: null, liftable: false },
  lock: open,
}
const stale = { isReauthenticated: false, phrase: 'blue heron at dawn' }
const hold = { until: 'tomorrow', liftable: true }
const phraseForms = ['set-phrase', 'remove-phrase']

test.each<[string, object, string | undefined, string[]]>([
  ['an account without a lock', {}, undefined, ['lock', 'set-phrase']],
  ['a service without passkeys', { hasPasskeys: false }, undefined, ['set-phrase']],
  ['a new passkey', { passkey: 'new', phrase: 'blue heron at dawn' }, undefined, phraseForms],
  ['a hold that a passkey ends', { hold }, undefined, ['lift-hold', 'lock', 'set-phrase']],
  ['a hold without a passkey', { hold, passkey: 'none' }, undefined, ['set-phrase']],
  ['a lock', { hold, lock: locked }, undefined, ['request-unlock', 'unlock-with-key']],
  ['a lock that ends', { lock: { ...locked, unlockAt: 'tomorrow' } }, undefined, ['cancel-unlock', 'unlock-with-key']],
  ['a panic lock', { lock: { ...locked, kind: 'panic', hasKey: false } }, undefined, ['request-unlock', 'undo-panic']],
  [
    'a panic lock without a passkey',
    { lock: { ...locked, kind: 'panic' }, passkey: 'none' },
    undefined,
    ['request-unlock', 'unlock-with-key'],
  ],
  ['an old sign-in', stale, undefined, ['lock']],
  ['an old sign-in whose form for the phrase was refused', stale, 'remove-phrase', ['lock', ...phraseForms]],
])('the protection page of %s has the right forms', (_, state, failed, forms) => {
  expect(protectionForms({ ...fresh, ...state }, failed)).toEqual(forms)
})
