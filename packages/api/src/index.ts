export {
  type Client,
  type Context,
  type Cookies,
  createContext,
  type Deps,
  type Locale,
  type Log,
  type Settings,
  type Tracing,
} from './context.ts'
export type { UndoEffects } from './email-address/undo-effects.ts'
export { AppError, catalogue, type ErrorKey, toAppError, validationError } from './errors.ts'
export { createExpirySweep, type ExpirySweep } from './expiry-sweep.ts'
export { type FieldProblem, fieldProblemOf, fieldProblems } from './field-problems.ts'
export { createMailQueue, type MailQueue } from './mail-queue.ts'
export { limits, policy } from './policy.ts'
export type { SecurityStep } from './profile/security-score.ts'
export { type ProviderId, providerIds } from './provider-ids.ts'
export { type Api, type AppRouter, appRouter, createCaller } from './router.ts'
export { createSecretResealer, type SecretResealer } from './secret-resealer.ts'
export type { AuditAction } from './security/audit-log.ts'
export { openPayload } from './security/one-time-tokens.ts'
export { createPasswordHasher, type HashCost, type PasswordHasher, recommendedCost } from './security/password-hasher.ts'
export { createQuietAnswers } from './security/quiet-answer.ts'
export { createRateLimiter, type LimitState, type RateLimiter } from './security/rate-limiter.ts'
export { withParameter } from './security/redirect-target.ts'
export { createSecretBox, type SealedPlace, type SecretBox } from './security/secret-box.ts'
export { sessionFromMemory } from './sessions/get-session.ts'
export { type CachedSession, createSessionCache, type SessionCache, type SessionCacheStats } from './sessions/session-cache.ts'
export { createSessionMisses } from './sessions/session-misses.ts'
export { sessionCookieName } from './sessions/session-store.ts'
export { createSocialProviders } from './sign-in/providers/create-providers.ts'
export type { SocialRefusalCode } from './sign-in/social-refusal.ts'
