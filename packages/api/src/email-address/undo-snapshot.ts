import type { Transaction, TwoFactor, User } from '@floorpass/db'
import { z } from 'zod'

/** The account at the time of the change. The undo link carries the snapshot, sealed. */
export type UndoSnapshot = z.infer<typeof snapshot>

const date = z.coerce.date()

const snapshot = z.object({
  name: z.string(),
  image: z.string().nullable(),
  unlinkedProviders: z.array(z.string()),
  twoFactorEnabled: z.boolean().default(false),
  twoFactor: z
    .object({ secretSealed: z.string(), lastStep: z.string().nullable(), confirmedAt: date, createdAt: date })
    .nullable(),
})

export async function takeUndoSnapshot(tx: Transaction, user: User): Promise<string> {
  const { id: userId, name, image, unlinkedProviders, twoFactorEnabled } = user
  const factor = await tx.twoFactor.findUnique({ where: { userId } })
  return JSON.stringify({
    name,
    image,
    unlinkedProviders,
    twoFactorEnabled,
    twoFactor: factor?.confirmedAt ? serializeFactor(factor) : null,
  })
}

const serializeFactor = ({ secretSealed, lastStep, confirmedAt, createdAt }: TwoFactor) => ({
  secretSealed,
  lastStep: lastStep === null ? null : String(lastStep),
  confirmedAt,
  createdAt,
})

export const readUndoSnapshot = (json: string): UndoSnapshot => snapshot.parse(JSON.parse(json))
