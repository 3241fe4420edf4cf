import { generateSync } from 'otplib'
import type { Browser } from './browser.ts'

/** A person's authenticator app. */
export type Authenticator = {
  /** The code that it shows now, or so many steps of thirty seconds from now. */
  code(steps?: number): string
  secret: string
}

/** Scans a QR code. */
export function scan(totpURI: string): Authenticator {
  const secret = new URL(totpURI).searchParams.get('secret') ?? ''
  return { secret, code: (steps = 0) => generateSync({ secret, epoch: Math.floor(Date.now() / 1000) + steps * 30 }) }
}

/** A signed-in person prepares a second factor; it counts once its first code was verified. */
export async function setUpTwoFactor(tab: Pick<Browser, 'post'>, password?: string) {
  const { status, body } = await tab.post('/auth/two-factor/enable', { password })
  if (status !== 200) throw new Error(`expected 200, got ${status} ${JSON.stringify(body)}`)
  const { totpURI, backupCodes } = body as { totpURI: string; backupCodes: [string, ...string[]] }
  return { totpURI, backupCodes, authenticator: scan(totpURI) }
}

/** The same up to its first code: that one is used up, so the next one is `code(1)`, or the clock's next. */
export async function switchOnTwoFactor(tab: Pick<Browser, 'post'>, password?: string) {
  const setUp = await setUpTwoFactor(tab, password)
  const { status, body } = await tab.post('/auth/two-factor/verify', { code: setUp.authenticator.code() })
  if (status !== 200) throw new Error(`expected 200, got ${status} ${JSON.stringify(body)}`)
  return setUp
}
