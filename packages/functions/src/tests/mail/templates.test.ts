import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import {
  type MailContext,
  MailError,
  type MailName,
  mailSamples,
  type RenderedMail,
  renderMail,
  renderSamples,
} from '@floorpass/email'
import { textsIn } from '@floorpass/languages'
import { locales } from '@floorpass/languages/locales'
import { describe, expect, it } from 'vitest'

const baseUrl = 'https://accounts.example.com'
const link = `${baseUrl}/go?token=abc_DEF-123&next=%2Fdashboard`

const samples = mailSamples(baseUrl)
const names = Object.keys(samples) as MailName[]
const inLocales = locales.map((locale) => ({ locale }))
const context: MailContext = { locale: 'en', appName: 'Floorpass', baseUrl, name: 'Ada' }

function render(mail: MailName, overrides: Partial<MailContext> = {}): RenderedMail {
  const [rendered] = renderSamples(mail, { ...context, ...overrides })
  if (!rendered) throw new Error(`no sample of ${mail}`)
  return rendered
}

const greet = (name: string) => render('verify-email', { name }).text.split('\n\n')[1]
const occurrences = (text: string, part: string) => text.split(part).length - 1

const versionsOf = (mail: MailName): object[] => samples[mail]
const versions = names.flatMap((mail) =>
  locales.flatMap((locale) => versionsOf(mail).map((variables, index) => ({ mail, locale, version: index + 1, variables }))),
)

describe.each(versions)('$mail in $locale, version $version', ({ mail, locale, version, variables }) => {
  const rendered = renderSamples(mail, { ...context, locale })[version - 1] ?? render(mail)
  const urls = Object.values(variables).filter((value): value is string => String(value).startsWith(baseUrl))
  // Without a removed second factor, this mail does not link to the settings.
  const linked = mail === 'email-change-undone' && version === 2 ? urls.slice(0, 1) : urls

  it('has a one-line subject, a text part and an HTML part', () => {
    expect(rendered.subject).toMatch(/^[^\r\n\p{Cc}]{10,90}$/u)
    expect(rendered.subject).toContain('Floorpass')
    expect(rendered.text).toContain(textsIn(locale).mails.greeting('Ada'))
    expect(rendered.html).toContain(`<html lang="${locale}">`)
    expect(`${rendered.text}${rendered.html}`).not.toMatch(/undefined|null|\[object|NaN|\$\{/)
  })

  it('has each link once in the text, alone on its line, and links only to the service in the HTML', () => {
    const lines = rendered.text.split('\n')
    for (const url of linked) expect([url, lines.filter((line) => line === url)]).toEqual([url, [url]])
    expect(occurrences(rendered.text, baseUrl)).toBe(linked.length)
    const targets = [...rendered.html.matchAll(/href="([^"]*)"/g)].map((match) => match[1] ?? '')
    for (const target of targets) expect(target.startsWith(baseUrl)).toBe(true)
    for (const url of linked) expect(targets).toContain(url.replaceAll('&', '&amp;'))
  })

  it('loads nothing, and marks its layout tables as presentation', () => {
    expect(rendered.html).not.toMatch(/<img|<link|<script|<iframe|src=|url\(|@import|@font-face/)
    expect(rendered.html.match(/<table(?! role="presentation")/g)).toBeNull()
    expect(rendered.html).toContain(`<title>${rendered.subject.replaceAll('&', '&amp;')}</title>`)
  })

  it('has the same words in its text as in its HTML', () => {
    const html = rendered.html
      .replace(/<head>[\s\S]*<\/head>|<style>[\s\S]*?<\/style>|<!--[\s\S]*?-->/g, '')
      .replace(/&nbsp;/g, '')
    const words = (text: string) => text.replace(/<[^>]+>|\s+|^- |-- $/gm, '')
    for (const paragraph of rendered.text.split(/\n/).filter((line) => !/^(https:|-- $)|[:]$/.test(line)))
      expect(words(html)).toContain(words(paragraph))
  })

  it('says in its footer why it came, and from which service', () => {
    const [, signature = ''] = rendered.text.split('\n\n-- \n')
    expect(signature.split('\n').slice(0, 2)).toEqual(['Floorpass', 'accounts.example.com'])
    const reason = signature.split('\n')[2] ?? ''
    expect(Object.values(textsIn(locale).mails.reasons).map((write) => write('Floorpass'))).toContain(reason)
    expect(rendered.html).toContain(`${reason}<br>Floorpass · <a class="soft" href="${baseUrl}"`)
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
})

describe.each(inLocales)('every mail in $locale', ({ locale }) => {
  const mails = names.flatMap((mail) => renderSamples(mail, { ...context, locale }))

  it('looks right in dark mode: every colour of the light page has a dark one', () => {
    for (const { html } of mails) {
      expect(html).toContain('<meta name="color-scheme" content="light dark">')
      expect(html).toContain('<meta name="supported-color-schemes" content="light dark">')
      const [, dark = ''] = /@media \(prefers-color-scheme: dark\) {([\s\S]*?)}<\/style>/.exec(html) ?? []
      const darkened = new Set([...dark.matchAll(/\.([\w-]+)(?=[ ,][^{}]*{)/g)].map(([, name]) => name))
      const body = html.slice(html.indexOf('<body'))
      const colored = [...body.matchAll(/<(?!span)(\w+)((?: [\w-]+="[^"]*")*)>/g)].filter(([, , attributes = '']) =>
        /[:;](?:background|color):|style="(?:background|color):/.test(attributes),
      )
      expect(colored.length).toBeGreaterThan(5)
      for (const [element, , attributes = ''] of colored) {
        const classes = /class="([^"]+)"/.exec(attributes)?.[1]?.split(' ') ?? []
        expect([element, classes.some((name) => darkened.has(name))]).toEqual([element, true])
      }
    }
  })
})

it('has the colours of the pages, in light and in dark', async () => {
  const css = await readFile(fileURLToPath(new URL('../../../../../apps/web/app/app.css', import.meta.url)), 'utf8')
  const colors = ['canvas', 'surface', 'ink', 'ink-soft', 'line', 'accent', 'on-accent'].map(
    (name) => new RegExp(`--${name}: light-dark\\((#\\w+), (#\\w+)\\);`).exec(css) ?? [name, name, name],
  )
  const html = render('email-change-undone').html
  const at = html.indexOf('@media (prefers-color-scheme: dark)')
  const [styled, body] = [html.slice(at, html.indexOf('</style>', at)), html.slice(html.indexOf('<body'))]
  for (const [, light, dark] of colors) {
    expect(body).toContain(light)
    expect(styled).toContain(dark)
  }
})

it.each(inLocales)('keeps its list in both parts in $locale', ({ locale }) => {
  const { text, html } = render('email-change-undone', { locale })
  expect(text).toMatch(/\n\n[^\n]+:\n(?:- [^\n]+\n){12}\n/)
  expect(html.match(/<li /g)).toHaveLength(12)
})

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

describe.each(inLocales)('names that other users choose, in $locale', ({ locale }) => {
  const evil = 'https://evil.com/win\r\nBcc: x@evil.com'
  const organization = { organization: evil, organizationsUrl: link }
  const passkey = { passkey: evil, passkeysUrl: link, resetUrl: link }
  const apiKey = { apiKey: evil, organization: evil, mayWithdraw: false, apiKeysUrl: link, resetUrl: link }
  const invitation = { ...organization, inviter: evil, role: 'admin', address: 'ada@example.test', url: link, hours: 48 } as const

  it.each([
    renderMail('organization-invitation', { ...context, locale, ...invitation }),
    renderMail('member-added', { ...context, locale, actor: evil, ...organization }),
    renderMail('member-removed', { ...context, locale, ...organization }),
    renderMail('membership-dropped', { ...context, locale, most: 5, ...organization }),
    renderMail('api-key-created', { ...context, locale, ...apiKey }),
    renderMail('api-key-changed', { ...context, locale, ...apiKey }),
    renderMail('api-key-changed-by-another', { ...context, locale, ...apiKey, actor: evil }),
    renderMail('api-key-leaked', { ...context, locale, ...apiKey }),
    renderMail('passkey-added', { ...context, locale, ...passkey }),
    renderMail('passkey-removed', { ...context, locale, ...passkey }),
    renderMail('passkey-counter', { ...context, locale, ...passkey }),
  ])('become neither a link nor a new line: $subject', ({ subject, text, html }) => {
    expect(subject).toMatch(/^[^\r\n]+$/)
    expect(text).toContain('evil. com')
    expect(`${subject}${text}${html}`).not.toMatch(/evil\.com|Bcc:/)
  })
})

it('masks the new email', () => {
  const { text, html } = render('email-changed')
  expect(text).toContain('a•••@a•••.example')
  expect(`${text}${html}`).not.toContain('analytical')
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
  // @ts-expect-error: `minutes` is missing
  expect(() => renderMail('reset-password', { ...context, url: link })).not.toThrow()
})

it.each([
  { locale: 'en', words: 'The password ' },
  { locale: 'fr', words: 'Le mot de passe ' },
] as const)('says in $locale that the unlinked sign-in method is the password', ({ locale, words }) => {
  const { subject } = renderMail('account-unlinked', { ...context, locale, provider: null, resetUrl: link })
  expect(subject.startsWith(words)).toBe(true)
})

it('spells durations in words', () => {
  expect(render('change-email-confirm').text).toContain('works once and expires in 1 hour')
  expect(render('verify-email').text).toContain('expires in 24 hours')
  expect(render('email-changed', { locale: 'fr' }).text.replaceAll('\u00a0', ' ')).toContain('valable 7 jours')
})

it('sets the spaces of French typography, which do not break the line', () => {
  for (const { subject, text, html } of names.flatMap((mail) => renderSamples(mail, { ...context, locale: 'fr' }))) {
    const words = html.slice(html.indexOf('<title>')).replace(/<style>[\s\S]*?<\/style>|<[^>]+>|&\w+;/g, '')
    expect(`${subject}${text}${words}`).not.toMatch(/ [:;?!»]|« |\u00a0[;?!]/)
  }
  const { text } = render('delete-account', { locale: 'fr' })
  expect(text).toMatch(/^Supprimer votre compte\u202f\?\n/)
  expect(text).toContain('Supprimer mon compte\u00a0:\n')
})

describe('SUPPORT_URL', () => {
  const supportUrl = 'https://desk.example/help?from=mail&lang=any'
  const rendered = names.flatMap((mail) =>
    locales.flatMap((locale) =>
      renderSamples(mail, { ...context, locale, supportUrl }).map((sample) => ({ mail, locale, ...sample })),
    ),
  )

  it('is a link in each mail that tells the person to contact the team, and in no other', () => {
    for (const { mail, locale, text, html } of rendered) {
      const asksForTeam = /contact the Floorpass team|[Cc]ontactez (tout de suite |ensuite )?l’équipe Floorpass/.test(
        text.replaceAll('\u00a0', ' '),
      )
      const lines = text.split('\n')
      expect([mail, locale, lines.includes(supportUrl)]).toEqual([mail, locale, asksForTeam])
      expect([mail, locale, html.includes(`href="${supportUrl.replaceAll('&', '&amp;')}"`)]).toEqual([mail, locale, asksForTeam])
    }
    expect(new Set(rendered.filter(({ text }) => text.includes(supportUrl)).map(({ mail }) => mail))).toEqual(
      new Set(['impersonated', 'email-changed', 'account-deleted', 'two-factor-enabled', 'webhook-paused']),
    )
  })

  it('leaves no empty link where none is set', () => {
    for (const { text } of renderSamples('account-deleted', context)) expect(text).not.toContain('Contact support')
  })
})
