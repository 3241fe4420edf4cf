import type { Settings } from '@floorpass/api'
import type { Outbox } from '@floorpass/email'
import { Hono } from 'hono'
import { mailGallery } from './mail-gallery.ts'
import { mailbox } from './mailbox.ts'
import { stylesheet } from './page.ts'

const loopback = new Set(['localhost', '127.0.0.1', '[::1]'])

/** The pages of local mode. They answer on loopback names only, so that no DNS name that points here gives a web page access. */
export function devPages(outbox: Outbox, settings: Settings): Hono {
  const app = new Hono()
  app.use(async (c, next) => {
    const { hostname } = new URL(c.req.url)
    if (!loopback.has(hostname) && hostname !== new URL(settings.baseUrl).hostname) return c.notFound()
    await next()
  })
  app.get('/style.css', (c) => c.body(stylesheet, 200, { 'content-type': 'text/css; charset=utf-8' }))
  app.route('/mailbox', mailbox(outbox, settings))
  app.route('/mails', mailGallery(settings))
  return app
}
