import type { Settings } from '@floorpass/api'
import { Hono } from 'hono'
import { json, refuse } from './http/respond.ts'

/** Small documents at fixed addresses that browsers and password managers ask for. */
export function siteFiles({ appName, passkeys }: Pick<Settings, 'appName' | 'passkeys'>): Hono {
  const app = new Hono()
  // https://w3c.github.io/webappsec-change-password-url/
  app.get('/.well-known/change-password', (c) => c.redirect('/settings/password'))
  // Browsers ask the relying party which other origins may use its passkeys (WebAuthn 5.11).
  if (passkeys) app.get('/.well-known/webauthn', () => json({ origins: passkeys.origins }))
  app.get('/manifest.webmanifest', (c) =>
    c.body(JSON.stringify(manifest(appName)), 200, {
      'content-type': 'application/manifest+json',
      'cache-control': 'public, max-age=3600',
    }),
  )
  for (const { path } of [...app.routes]) app.all(path, () => refuse('METHOD_NOT_ALLOWED', { allow: 'GET, HEAD' }))
  return app
}

const manifest = (name: string) => ({
  name,
  short_name: name,
  start_url: '/dashboard',
  display: 'browser',
  background_color: '#f3f5f7',
  theme_color: '#0b5674',
  icons: [{ src: '/apple-touch-icon.png', sizes: '180x180', type: 'image/png' }],
})
