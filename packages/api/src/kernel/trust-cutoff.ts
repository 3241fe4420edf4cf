import { policy } from './policy.ts'

/** What is newer may be a thief's. What is older is the owner's: a mail had a link against it for a week, and the owner did not use it. */
export const getTrustCutoff = (moment: Date = new Date()): Date => new Date(moment.getTime() - policy.panic.lifetime * 1000)
