import type { Settings } from '@floorpass/api'
import { type MailName, mailNames, type RenderedMail, renderSamples } from '@floorpass/email'
import { defaultLocale, findLocale, type Locale, languages, locales } from '@floorpass/languages/locales'
import { Hono } from 'hono'
import { html } from 'hono/html'
import { mailBody, page } from './page.ts'

/** Every email with sample values, its languages side by side. */
export function mailGallery({ appName, baseUrl, brand }: Settings): Hono {
  const app = new Hono()
  const findName = (name: string) => mailNames.find((known) => known === name)
  const render = (name: MailName, locale: Locale) => renderSamples(name, { locale, appName, baseUrl, brand, name: 'Ada' })

  app.get('/', (c) => {
    const rows = mailNames.map((name) => {
      const subjects = locales.map((locale) => html`<br /><span lang="${locale}">${render(name, locale)[0]?.subject}</span>`)
      return html`<li><a href="/dev/mails/${name}">${name}</a>${subjects}</li>`
    })
    return page(
      c,
      'Every email',
      html`<nav><a href="/dev/mailbox">Local mailbox</a></nav>
        <h1>Every email</h1>
        <p>The ${mailNames.length} emails that ${appName} sends, with sample values.</p>
        <ul class="mails">${rows}</ul>`,
    )
  })

  app.get('/:name', (c) => {
    const name = findName(c.req.param('name'))
    if (!name) return c.notFound()
    const at = mailNames.indexOf(name)
    const [previous, next] = [mailNames[at - 1], mailNames[at + 1]]
    const rendered = locales.map((locale) => ({ locale, mails: render(name, locale) }))
    const count = rendered[0]?.mails.length ?? 0
    const inLanguage = (locale: Locale, mail: RenderedMail | undefined, version: number) => html`<article lang="${locale}">
      <h3>${languages[locale]}: ${mail?.subject}</h3>
      <iframe title="HTML, ${languages[locale]}" sandbox src="/dev/mails/${name}/${version + 1}/${locale}"></iframe>
      <h4 lang="${defaultLocale}">Plain text</h4>
      <pre>${mail?.text}</pre>
    </article>`
    const versions = Array.from(
      { length: count },
      (_, version) => html`<section>
        <h2>${count > 1 ? `Version ${version + 1} of ${count}` : 'In every language'}</h2>
        <div class="pair">${rendered.map(({ locale, mails }) => inLanguage(locale, mails[version], version))}</div>
      </section>`,
    )
    return page(
      c,
      `Email ${name}`,
      html`<nav>
          <a href="/dev/mails">Every email</a>
          ${previous && html`<a href="/dev/mails/${previous}" rel="prev">Previous: ${previous}</a>`}
          ${next && html`<a href="/dev/mails/${next}" rel="next">Next: ${next}</a>`}
        </nav>
        <h1>${name}</h1>
        ${versions}`,
      'wide',
    )
  })

  app.get('/:name/:version/:locale', (c) => {
    const name = findName(c.req.param('name'))
    const locale = findLocale(c.req.param('locale'))
    const mail = name && locale && render(name, locale)[Number(c.req.param('version')) - 1]
    return mail ? mailBody(c, mail.html) : c.notFound()
  })

  return app
}
