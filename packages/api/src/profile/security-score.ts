import { policy } from '../kernel/policy.ts'

export const securitySteps = [
  'verify-email',
  'add-passkey',
  'enable-two-factor',
  'renew-backup-codes',
  'review-sessions',
  'renew-password',
] as const

export type SecurityStep = (typeof securitySteps)[number]

export type SecurityFacts = {
  emailVerified: boolean
  /** True where browsers offer no passkeys. */
  hasPasskey: boolean
  /** Has no password and no provider. A passkey then counts as two factors. */
  hasPasskeyOnly: boolean
  twoFactorEnabled: boolean
  backupCodesLeft: number
  /** Seconds since the most idle other session was last seen; null without other sessions. */
  longestIdle: number | null
  /** Seconds since the password was set; null without a password. */
  passwordAge: number | null
}

/** Points out of 100, most urgent step first. */
const points: Record<SecurityStep, number> = {
  'verify-email': 20,
  'add-passkey': 25,
  'enable-two-factor': 20,
  'renew-backup-codes': 10,
  'review-sessions': 10,
  'renew-password': 15,
}

/** Returns the score, the steps and the next step, null when all are done. An account without a password gets its points. */
export function securityScore(facts: SecurityFacts) {
  const { backupCodesLow, idleSession, passwordAge } = policy.security
  const done: Record<SecurityStep, boolean> = {
    'verify-email': facts.emailVerified,
    'add-passkey': facts.hasPasskey,
    'enable-two-factor': facts.twoFactorEnabled || facts.hasPasskeyOnly,
    'renew-backup-codes': facts.twoFactorEnabled ? facts.backupCodesLeft >= backupCodesLow : facts.hasPasskeyOnly,
    'review-sessions': facts.longestIdle === null || facts.longestIdle < idleSession,
    'renew-password': facts.passwordAge === null || facts.passwordAge < passwordAge,
  }
  const steps = securitySteps.map((name) => ({ name, points: points[name], done: done[name] }))
  return {
    score: steps.reduce((sum, step) => sum + (step.done ? step.points : 0), 0),
    steps,
    next: steps.find((step) => !step.done)?.name ?? null,
  }
}
