import { AppError } from '../kernel/errors.ts'
import { sendBackupCodesReplaced } from '../mail/notifications.ts'
import { mutation } from '../mutation.ts'
import { startHold } from '../users/start-hold.ts'
import { replaceBackupCodes } from './backup-codes.ts'
import { generateBackupCodesInput } from './contract.ts'
import { confirmPasswordIfGiven, proofActions, proofMails, verifyOwner } from './verify-owner.ts'

/** Spec: Two-factor. Throws the errors of `verifyOwner`. */
export const generateBackupCodes = mutation({
  access: 'session',
  sensitive: true,
  input: generateBackupCodesInput,
  limit: null,
  events: ['replace-backup-codes', ...proofActions],
  mails: ['backup-codes-replaced', ...proofMails],
  cookies: [],

  prepare: confirmPasswordIfGiven,
  lock: 'caller',
  async change(tx, { ctx, input, prepared: account }) {
    const owner = await verifyOwner(ctx, tx, { account, code: input.code, passkey: input.passkey })
    if (owner instanceof AppError) return { events: [], refusal: owner }
    await startHold(ctx, tx, owner.id, 'change-factor')
    await sendBackupCodesReplaced(ctx, tx, owner)
    return {
      events: [{ action: 'replace-backup-codes' }],
      result: { status: true as const, backupCodes: await replaceBackupCodes(tx, owner.id) },
    }
  },
})
