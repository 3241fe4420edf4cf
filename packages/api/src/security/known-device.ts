import type { Account, Transaction } from '@floorpass/db'
import type { Context } from '../context.ts'
import { policy } from '../policy.ts'
import { type FlowCookie, readFlowCookie, setFlowCookie } from './flow-cookie.ts'
import { createToken, hashToken } from './random-token.ts'

type PasswordOwner = Pick<Account, 'userId' | 'passwordHash'>

const { accountsPerDevice, deviceLifetime } = policy.passwordGuesses
const cookie: FlowCookie = { name: 'known_device', lifetime: deviceLifetime }
const separator = '~'
const purpose = 'known-device'

/**
 * Tells this browser from those that never signed in to the account (OWASP: device cookies). The cookie opens nothing: it only lets its
 * bearer guess on a counter of its own. It holds one sealed mark for each of the last accounts, and a mark dies with the password.
 */
export function rememberDevice(ctx: Context, owner: PasswordOwner): void {
  const marks = readMarks(ctx)
  const known = findMark(ctx, owner)
  const mark = known ?? ctx.secretBox.seal(JSON.stringify([purpose, ...identityOf(owner), createToken()]))
  const kept = [mark, ...marks.filter((other) => other !== known)].slice(0, accountsPerDevice)
  setFlowCookie(ctx, cookie, kept.join(separator))
}

/** The same for who signed in to `userId` without a password at hand. Nothing to remember for an account without one. */
export async function findPasswordOwner(tx: Transaction, userId: string): Promise<PasswordOwner | null> {
  return tx.account.findFirst({ where: { userId, providerId: 'credential', passwordHash: { not: null } } })
}

/** What this browser's mark for the account is, and so the name of its counter; undefined when it has none. */
export const findMark = (ctx: Context, owner: PasswordOwner): string | undefined =>
  readMarks(ctx).find((mark) => isMarkOf(ctx, owner, mark))

function isMarkOf(ctx: Context, owner: PasswordOwner, mark: string): boolean {
  try {
    const [kind, ...identity] = JSON.parse(ctx.secretBox.open(mark)) as string[]
    return kind === purpose && identityOf(owner).every((part, index) => part === identity[index])
  } catch {
    // Altered, or sealed with a secret that is no longer listed: the device is a new one.
    return false
  }
}

// The hash of a hash: a new password makes every other device unknown.
const identityOf = ({ userId, passwordHash }: PasswordOwner): string[] => [userId, hashToken(passwordHash ?? '')]

const readMarks = (ctx: Context): string[] =>
  (readFlowCookie(ctx, cookie) ?? '').split(separator, accountsPerDevice).filter((mark) => mark !== '')
