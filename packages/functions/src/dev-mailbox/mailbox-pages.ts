import type { Settings } from '@floorpass/api'
import type { Outbox } from '@floorpass/email'
import { Hono } from 'hono'
import { html } from 'hono/html'

const loopback = new Set(['localhost', '127.0.0.1', '[::1]'])

const stylesheet = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { background: Canvas; color: CanvasText; max-width: 52rem; margin: 2rem auto; padding: 0 1rem }
table { width: 100%; border-collapse: collapse } td, th { text-align: left; padding: .5rem; border-bottom: 1px solid #8884; overflow-wrap: anywhere }
iframe { width: 100%; height: 36rem; border: 1px solid #8884; border-radius: .5rem; background: Canvas }
dl { display: grid; grid-template-columns: auto 1fr; gap: .25rem 1rem } dt { opacity: .7 } dd { margin: 0; overflow-wrap: anywhere }
`

/** The viewer of the local outbox. It answers on loopback names only, so that no DNS name that points here gives a web page access. */
export function mailboxPages(outbox: Outbox, { appName, baseUrl }: Settings): Hono {
  const app = new Hono()

  app.use(async (c, next) => {
    const { hostname } = new URL(c.req.url)
    if (!loopback.has(hostname) && hostname !== new URL(baseUrl).hostname) return c.notFound()
    await next()
  })

  app.get('/style.css', (c) => c.body(stylesheet, 200, { 'content-type': 'text/css; charset=utf-8' }))

  app.get('/', async (c) => {
    const mails = await outbox.list()
    const rows = mails.map(
      (mail) =>
        html`<tr><td><a href="/dev/mailbox/${mail.id}">${mail.subject}</a></td><td>${mail.to}</td><td>${mail.sentAt}</td></tr>`,
    )
    const list = html`<table><thead><tr><th>Subject</th><th>To</th><th>Sent</th></tr></thead><tbody>${rows}</tbody></table>`
    return page(
      c,
      'Local mailbox',
      html`<h1>Local mailbox</h1>
        <p>Emails that ${appName} would send if SMTP_URL were set. They stay on this machine.</p>
        ${mails.length > 0 ? list : html`<p>No emails yet. <a href="/signup">Sign up</a> and come back.</p>`}`,
    )
  })

  app.get('/:id', async (c) => {
    const mail = await outbox.read(c.req.param('id'))
    if (!mail) return c.notFound()
    const links = mail.text.match(/https?:\/\/\S+/g) ?? []
    return page(
      c,
      mail.subject,
      html`<p><a href="/dev/mailbox">All emails</a></p>
        <h1>${mail.subject}</h1>
        <dl><dt>To</dt><dd>${mail.to}</dd><dt>From</dt><dd>${mail.from}</dd><dt>Sent</dt><dd>${mail.sentAt}</dd></dl>
        <h2>Links in this email</h2>
        <ul>${links.map((link) => html`<li><a href="${link}">${link}</a></li>`)}</ul>
        <h2>Preview</h2>
        <iframe title="The email" sandbox src="/dev/mailbox/${mail.id}/body"></iframe>`,
    )
  })

  app.get('/:id/body', async (c) => {
    const mail = await outbox.read(c.req.param('id'))
    if (!mail) return c.notFound()
    return c.html(mail.html, 200, {
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox; frame-ancestors 'self'",
      'x-frame-options': 'SAMEORIGIN',
    })
  })

  return app
}

const page = (
  c: { html(body: unknown, status: 200, headers: Record<string, string>): Response | Promise<Response> },
  title: string,
  body: unknown,
) =>
  c.html(
    html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width" />
          <title>${title}</title>
          <link rel="stylesheet" href="/dev/mailbox/style.css" />
        </head>
        <body><main>${body}</main></body>
      </html>`,
    200,
    {
      'content-security-policy':
        "default-src 'none'; style-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
    },
  )
