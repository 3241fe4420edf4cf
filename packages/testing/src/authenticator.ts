import { generateSync } from 'otplib'
import type { Browser } from './browser.ts'

export type Authenticator = {
  /** The code shown now, or `steps` periods of 30 seconds from now. */
  code(steps?: number): string
  secret: string
}

/** Reads the secret from the URI in a QR code. */
export function scan(totpURI: string): Authenticator {
  const secret = new URL(totpURI).searchParams.get('secret') ?? ''
  return { secret, code: (steps = 0) => generateSync({ secret, epoch: Math.floor(Date.now() / 1000) + steps * 30 }) }
}

/** Prepares a second factor for a signed-in user. The factor is active once its first code is verified. */
export async function setUpTwoFactor(tab: Pick<Browser, 'post'>, password?: string) {
  const { status, body } = await tab.post('/auth/two-factor/enable', { password })
  if (status !== 200) throw new Error(`expected 200, got ${status} ${JSON.stringify(body)}`)
  const { totpURI, backupCodes } = body as { totpURI: string; backupCodes: [string, ...string[]] }
  return { totpURI, backupCodes, authenticator: scan(totpURI) }
}

/** Turns the second factor on. The first code is then used up: the next valid code is `code(1)`. */
export async function switchOnTwoFactor(tab: Pick<Browser, 'post'>, password?: string) {
  const setUp = await setUpTwoFactor(tab, password)
  const { status, body } = await tab.post('/auth/two-factor/verify', { code: setUp.authenticator.code() })
  if (status !== 200) throw new Error(`expected 200, got ${status} ${JSON.stringify(body)}`)
  return setUp
}
