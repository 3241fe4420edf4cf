import type { Settings } from '@floorpass/api'
import type { Outbox } from '@floorpass/email'
import { Hono } from 'hono'
import { html } from 'hono/html'
import { mailBody, page } from './page.ts'

/** The viewer of the local outbox. */
export function mailbox(outbox: Outbox, { appName }: Settings): Hono {
  const app = new Hono()

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
        ${mails.length > 0 ? list : html`<p>No emails yet. <a href="/signup">Sign up</a> and come back.</p>`}
        <p><a href="/dev/mails">See a sample of every email</a></p>`,
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
    return mail ? mailBody(c, mail.html) : c.notFound()
  })

  return app
}
