import { type MailContext, MailError, type MailName, type MailVariables, renderMail } from '@floorpass/email'
import { describe, expect, it } from 'vitest'

const baseUrl = 'https://accounts.example.com'
const link = `${baseUrl}/go?token=abc_DEF-123&next=%2Fdashboard`
const other = `${baseUrl}/forgot-password`

const samples: { [Name in MailName]: MailVariables[Name] } = {
  'verify-email': { url: link, hours: 24 },
  'already-registered': { signInUrl: link, resetUrl: other },
  'reset-password': { url: link, minutes: 30 },
  'password-changed': { resetUrl: link },
  'password-cleared': { url: link, minutes: 60 },
  'password-set': { resetUrl: link },
  'change-email-confirm': { account: 'ada@example.test', url: link, hours: 1 },
  'email-change-requested': { newEmail: 'mallory@mail.example.org', resetUrl: link },
  'email-changed': { newEmail: 'mallory@mail.example.org', undoUrl: link, days: 7 },
  'email-change-undone': {
    url: link,
    minutes: 60,
    securityUrl: other,
    effects: {
      passwordRemoved: true,
      unlinkedProviders: ['GitHub'],
      twoFactor: 'removed',
      backupCodesRemoved: true,
      trustedDevices: 1,
      invitations: 2,
      tradingDisabled: true,
      riskLevelLowered: true,
      profileRestored: true,
    },
  },
  'delete-account': { url: link, minutes: 30 },
  reauthenticate: { url: link, minutes: 15 },
  'account-deleted': {},
  'account-linked': { provider: 'GitHub', accountsUrl: link },
  'account-unlinked': { provider: 'GitHub', resetUrl: link },
  'organization-invitation': {
    inviter: 'Grace',
    organization: 'Desk',
    role: 'admin',
    address: 'ada@example.test',
    url: link,
    hours: 48,
  },
  'member-added': { actor: 'Grace', organization: 'Desk', organizationsUrl: link },
  'member-removed': { organization: 'Desk', organizationsUrl: link },
  'membership-dropped': { organization: 'Desk', most: 5, organizationsUrl: link },
  'password-paused': { deviceKind: 'known', resetUrl: link },
  'two-factor-enabled': { securityUrl: link, resetUrl: other },
  'two-factor-disabled': { resetUrl: link },
  'two-factor-locked': { minutes: 15, resetUrl: link },
  'backup-codes-replaced': { resetUrl: link },
  'backup-code-used': { left: 9, securityUrl: link },
}
const names = Object.keys(samples) as MailName[]

function render(mail: MailName, context: Partial<MailContext> = {}) {
  const variables = { locale: 'en', appName: 'Floorpass', baseUrl, name: 'Ada', ...samples[mail], ...context } as MailContext &
    MailVariables[MailName]
  return renderMail(mail, variables as never)
}

const greet = (name: string) => render('verify-email', { name }).text.split('\n')[0]
const occurrences = (text: string, part: string) => text.split(part).length - 1

describe.each(names.flatMap((mail) => (['en', 'fr'] as const).map((locale) => ({ mail, locale }))))(
  '$mail in $locale',
  ({ mail, locale }) => {
    const rendered = render(mail, { locale })

    it('has a one-line subject, a text part and an HTML part', () => {
      expect(rendered.subject).toMatch(/^[^\r\n\p{Cc}]{10,90}$/u)
      expect(rendered.subject).toContain('Floorpass')
      expect(rendered.text).toContain(locale === 'fr' ? 'Bonjour Ada,' : 'Hello Ada,')
      expect(rendered.html).toContain(`<html lang="${locale}">`)
      expect(`${rendered.text}${rendered.html}`).not.toMatch(/undefined|\[object|NaN|\$\{/)
    })

    it('has its link once in the text, and links only to the service in the HTML', () => {
      expect(occurrences(rendered.text, link)).toBe(mail === 'account-deleted' ? 0 : 1)
      const targets = [...rendered.html.matchAll(/href="([^"]*)"/g)].map((match) => match[1] ?? '')
      for (const target of targets) expect(target.startsWith(baseUrl)).toBe(true)
      if (mail !== 'account-deleted') expect(targets).toContain(link.replace('&', '&amp;'))
    })

    it('T157: escapes markup in a name', () => {
      const { html } = render(mail, { locale, name: '<b>Ada & "Co"' })
      expect(html).toContain('&lt;b&gt;Ada &amp; &quot;Co&quot;')
      expect(html).not.toContain('<b>')
    })

    it('escapes markup in the name of the application', () => {
      const { html } = render(mail, { locale, appName: 'R&D <i>' })
      expect(html).toContain('R&amp;D &lt;i&gt;')
      expect(html).not.toContain('<i>')
    })
  },
)

describe('names that users choose', () => {
  it.each([
    ['https://evil.com/win', 'Hello https evil. com win,'],
    ['www.evil.com', 'Hello www. evil. com,'],
    ['evil。com', 'Hello evil。 com,'],
    ['ｅｖｉｌ．ｃｏｍ', 'Hello evil. com,'],
    ['eve@evil.com', 'Hello eve evil. com,'],
    ['Ada\r\nBcc: x@evil.com', 'Hello Ada Bcc x evil. com,'],
    ['ev\u200bil.\u2060com', 'Hello evil. com,'],
    ['\u202eadA\u2028\u0000', 'Hello adA,'],
    ['J. R. R. Tolkien', 'Hello J. R. R. Tolkien,'],
    ['Zoë O’Hara-Núñez', 'Hello Zoë O’Hara-Núñez,'],
    ['  ', 'Hello,'],
    ['', 'Hello,'],
  ])('T157: %j becomes plain words', (name, greeting) => {
    expect(greet(name)).toBe(greeting)
  })

  it('T157: are truncated, never inside a character', () => {
    expect(greet('x'.repeat(5000))).toBe(`Hello ${'x'.repeat(47)}…,`)
    expect(greet('😀'.repeat(60))).toBe(`Hello ${'😀'.repeat(47)}…,`)
  })
})

it.each(['organization-invitation', 'member-added', 'member-removed', 'membership-dropped'] as const)(
  'a name in %s becomes neither a link nor a new line',
  (mail) => {
    const evil = 'https://evil.com/win\r\nBcc: x@evil.com'
    for (const locale of ['en', 'fr'] as const) {
      const names = { organization: evil, inviter: evil, actor: evil } as object
      const { subject, text, html } = render(mail, { locale, ...names })
      expect(subject).toMatch(/^[^\r\n]+$/)
      expect(`${subject}${text}${html}`).not.toMatch(/evil\.com|Bcc:/)
    }
  },
)

it('masks the new email', () => {
  const { text, html } = render('email-changed')
  expect(text).toContain('m•••@m•••.org')
  expect(`${text}${html}`).not.toContain('mallory')
  expect(`${text}${html}`).not.toContain('example.org')
})

it.each([
  'https://evil.com/reset',
  '//evil.com',
  'https://accounts.example.com.evil.com/x',
  'https://accounts.example.com@evil.com/',
  'javascript:alert(1)',
  'http://accounts.example.com/x',
  `${baseUrl}/x\nhttps://evil.com`,
])('refuses the link %j, which leaves the base URL', (url) => {
  const send = () => renderMail('reset-password', { locale: 'en', appName: 'Floorpass', baseUrl, name: 'Ada', url, minutes: 30 })
  expect(send).toThrow(expect.objectContaining({ constructor: MailError, code: 'MAIL_LINK_REFUSED' }))
})

it('has arguments that the compiler checks', () => {
  const context: MailContext = { locale: 'en', appName: 'Floorpass', baseUrl, name: 'Ada' }
  // @ts-expect-error: `minutes` is missing
  expect(() => renderMail('reset-password', { ...context, url: link })).not.toThrow()
})

it.each(['en', 'fr'] as const)('says in %s that the unlinked sign-in method is the password', (locale) => {
  const { subject, text } = renderMail('account-unlinked', {
    locale,
    appName: 'Floorpass',
    baseUrl,
    name: 'Ada',
    provider: null,
    resetUrl: link,
  })
  expect(`${subject}${text}`).not.toContain('null')
  expect(subject).toMatch(/^(The password|Le mot de passe) /)
})

it('spells durations in words', () => {
  expect(render('change-email-confirm').text).toContain('works once and expires in 1 hour')
  expect(render('verify-email').text).toContain('expires in 24 hours')
  expect(render('email-changed', { locale: 'fr' }).text.replaceAll('\u00a0', ' ')).toContain('valable 7 jours')
})

it('uses non-breaking spaces in French punctuation', () => {
  for (const mail of names) expect(render(mail, { locale: 'fr' }).text).not.toMatch(/ [:;?!»]|« /)
})
