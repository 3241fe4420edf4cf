import type { Queryable, Transaction } from '@floorpass/db'
import type { Context } from '../context.ts'
import { type FlowCookie, readFlowCookie, type SetsCookies, setFlowCookie } from '../cookies/flow-cookie.ts'
import { AppError } from '../kernel/errors.ts'
import { policy } from '../kernel/policy.ts'
import { createToken, hashToken } from '../kernel/random-token.ts'
import { consumeOneTimeToken, issueOneTimeToken, openPayload } from '../one-time-tokens/one-time-tokens.ts'
import type { RelyingParty } from './webauthn.ts'

type Ceremony = 'passkey-registration' | 'passkey-authentication'

const cookie: FlowCookie<'passkey'> = { name: 'passkey', lifetime: policy.passkeys.challengeLifetime }

/** Where browsers offer no passkeys, the routes do not exist. NOT_FOUND. */
export function requireRelyingParty({ settings: { passkeys } }: Pick<Context, 'settings'>): RelyingParty {
  if (!passkeys) throw new AppError('NOT_FOUND')
  return passkeys
}

type ChallengeSubject = { userId: string | null; link?: string | undefined }

/** The cookie names the browser, so that each tab can have a challenge. `userId` is null for a sign-in. Lock the user first. */
export async function issuePasskeyChallenge(
  ctx: Context & SetsCookies<'passkey'>,
  tx: Queryable,
  ceremony: Ceremony,
  { userId, link }: ChallengeSubject,
): Promise<string> {
  const browser = readFlowCookie(ctx, cookie) ?? createToken()
  setFlowCookie(ctx, cookie, browser)
  return issueOneTimeToken(tx, {
    purpose: ceremony,
    userId,
    email: null,
    lifetime: cookie.lifetime,
    sealPayload: (place) => ctx.secretBox.seal(JSON.stringify({ browser: hashToken(browser), link }), place),
  })
}

/** The caller locks this user before it consumes the challenge. */
export async function findChallengedUser(tx: Transaction, challenge: string | null): Promise<string | null> {
  if (challenge === null) return null
  return (await tx.verification.findUnique({ where: { secretHash: hashToken(challenge) } }))?.userId ?? null
}

/** Of concurrent uses, exactly one succeeds. Returns the user and link that the challenge is for. CHALLENGE_NOT_FOUND. */
export async function consumePasskeyChallenge(
  ctx: Context,
  tx: Transaction,
  ceremony: Ceremony,
  challenge: string | null,
): Promise<ChallengeSubject> {
  const browser = readFlowCookie(ctx, cookie)
  if (challenge === null || browser === undefined) throw new AppError('CHALLENGE_NOT_FOUND')
  try {
    const row = await consumeOneTimeToken(tx, ceremony, challenge)
    const issued = JSON.parse(openPayload(ctx, row)) as { browser: string; link?: string }
    if (issued.browser === hashToken(browser)) return { userId: row.userId, link: issued.link }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
  }
  throw new AppError('CHALLENGE_NOT_FOUND')
}
