import { policy } from '../kernel/policy.ts'

export const securitySteps = [
  'verify-email',
  'enable-two-factor',
  'renew-backup-codes',
  'review-sessions',
  'renew-password',
] as const

export type SecurityStep = (typeof securitySteps)[number]

export type SecurityFacts = {
  emailVerified: boolean
  twoFactorEnabled: boolean
  backupCodesLeft: number
  /** Seconds since the other session that was left alone the longest was last seen; null without another session. */
  longestIdle: number | null
  /** Seconds since the password was chosen; null without a password. */
  passwordAge: number | null
}

/** Points of a hundred, in the order in which a person should take the steps. */
const points: Record<SecurityStep, number> = {
  'verify-email': 25,
  'enable-two-factor': 35,
  'renew-backup-codes': 10,
  'review-sessions': 10,
  'renew-password': 20,
}

/**
 * How well an account is protected: the points of every step that is taken, and the one to take next (null when all are). A password
 * that is not there cannot be old; without a second factor there are no backup codes to keep, so those points come with it.
 */
export function securityScore(facts: SecurityFacts) {
  const { backupCodesLow, idleSession, passwordAge } = policy.security
  const done: Record<SecurityStep, boolean> = {
    'verify-email': facts.emailVerified,
    'enable-two-factor': facts.twoFactorEnabled,
    'renew-backup-codes': facts.twoFactorEnabled && facts.backupCodesLeft >= backupCodesLow,
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
