import { defaultLocale } from '@floorpass/languages/locales'
import type { Context } from 'hono'
import { html } from 'hono/html'

export const stylesheet = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { background: Canvas; color: CanvasText; margin: 2rem auto; padding: 0 1rem }
main { max-width: 52rem; margin: 0 auto } main.wide { max-width: 80rem }
h1, h2, h3, li, pre, td, th, dd { overflow-wrap: anywhere }
table { width: 100%; border-collapse: collapse } td, th { text-align: left; padding: .5rem; border-bottom: 1px solid #8884 }
iframe { box-sizing: border-box; width: 100%; height: 36rem; border: 1px solid #8884; border-radius: .5rem; background: Canvas }
dl { display: grid; grid-template-columns: auto 1fr; gap: .25rem 1rem } dt { opacity: .7 } dd { margin: 0 }
pre { margin: 0; padding: 1rem; border: 1px solid #8884; border-radius: .5rem; white-space: pre-wrap }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem }
.mails { list-style: none; padding: 0 } .mails li { padding: .75rem 0; border-bottom: 1px solid #8884 }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); gap: 0 2rem } .pair article { min-width: 0 }
.pair iframe { height: 46rem }
`

/** A page without scripts. */
export const page = (c: Context, title: string, body: unknown, width: 'narrow' | 'wide' = 'narrow') =>
  c.html(
    html`<!doctype html>
      <html lang="${defaultLocale}">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width" />
          <title>${title}</title>
          <link rel="stylesheet" href="/dev/style.css" />
        </head>
        <body><main class="${width}">${body}</main></body>
      </html>`,
    200,
    {
      'content-security-policy':
        "default-src 'none'; style-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
    },
  )

/** The HTML part of a mail, for a frame of these pages. */
export const mailBody = (c: Context, body: string) =>
  c.html(body, 200, {
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox; frame-ancestors 'self'",
    'x-frame-options': 'SAMEORIGIN',
  })
