import { recordAuditEvent } from '../audit-log/audit-log.ts'
import { sendBackupCodesReplaced } from '../mail/notifications.ts'
import { sessionProcedure } from '../trpc.ts'
import { replaceBackupCodes } from './backup-codes.ts'
import { generateBackupCodesInput } from './contract.ts'
import { reauthenticateOwner } from './reauthenticate-owner.ts'

export const generateBackupCodes = sessionProcedure.input(generateBackupCodesInput).mutation(async ({ ctx, input }) => {
  const backupCodes = await reauthenticateOwner(ctx, input, async (tx, user) => {
    await recordAuditEvent(tx, ctx.client, { userId: user.id, action: 'replace-backup-codes' })
    await sendBackupCodesReplaced(ctx, tx, user)
    return replaceBackupCodes(tx, user.id)
  })
  return { status: true as const, backupCodes }
})
