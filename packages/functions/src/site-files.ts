import type { BrandImage, Settings } from '@floorpass/api'
import { type Context, Hono } from 'hono'
import { brandStyle } from './brand-style.ts'
import { json, refuse } from './http/respond.ts'
import { imagePolicy } from './http/secure-headers.ts'

/** Small documents at fixed addresses that browsers and password managers ask for, and the files of the brand. */
export function siteFiles({ appName, brand, passkeys }: Pick<Settings, 'appName' | 'brand' | 'passkeys'>): Hono {
  const app = new Hono()
  // https://w3c.github.io/webappsec-change-password-url/
  app.get('/.well-known/change-password', (c) => c.redirect('/settings/password'))
  // Browsers ask the relying party which other origins may use its passkeys (WebAuthn 5.11).
  if (passkeys) app.get('/.well-known/webauthn', () => json({ origins: passkeys.origins }))
  app.get('/manifest.webmanifest', (c) =>
    c.body(JSON.stringify(manifest(appName, brand)), 200, {
      'content-type': 'application/manifest+json',
      'cache-control': 'public, max-age=3600',
    }),
  )

  const { logo, icon, accent } = brand
  for (const image of [logo, icon]) if (image) app.get(image.path, (c) => sendImage(c, image, forever))
  if (accent) {
    const { path, css } = brandStyle(accent)
    app.get(path, (c) => c.body(css, 200, { 'content-type': 'text/css; charset=utf-8', 'cache-control': forever }))
  }
  if (icon) {
    app.get('/favicon.ico', (c) => sendImage(c, icon, oneDay))
    // The only format that home screens take. Without it they show a picture of the page, which is better than another brand.
    app.get('/apple-touch-icon.png', (c) => (icon.type === 'image/png' ? sendImage(c, icon, oneDay) : c.notFound()))
  }
  for (const { path } of [...app.routes]) app.all(path, () => refuse('METHOD_NOT_ALLOWED', { allow: 'GET, HEAD' }))
  return app
}

const forever = 'public, max-age=31536000, immutable'
const oneDay = 'public, max-age=86400'

const sendImage = (c: Context, { content, type }: BrandImage, cacheControl: string) =>
  c.body(content, 200, { 'content-type': type, 'cache-control': cacheControl, 'content-security-policy': imagePolicy })

const manifest = (name: string, { icon, accent }: Settings['brand']) => ({
  name,
  short_name: name,
  start_url: '/dashboard',
  display: 'browser',
  background_color: '#f3f5f7',
  theme_color: accent?.light.accent ?? '#0b5674',
  icons: icon
    ? [{ src: icon.path, sizes: icon.type !== 'image/svg+xml' && icon.size ? sizeOf(icon.size) : 'any', type: icon.type }]
    : [{ src: '/apple-touch-icon.png', sizes: '180x180', type: 'image/png' }],
})

const sizeOf = ({ width, height }: { width: number; height: number }): string => `${width}x${height}`
