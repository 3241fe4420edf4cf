import type { Transaction, TwoFactor, User } from '@floorpass/db'
import { z } from 'zod'

/** What an account was when its address changed. The undo link carries it, sealed, so that the undo can bring it back. */
export type UndoSnapshot = z.infer<typeof snapshot>

const date = z.coerce.date()

const snapshot = z.object({
  name: z.string(),
  image: z.string().nullable(),
  unlinkedProviders: z.array(z.string()),
  twoFactor: z
    .object({ secretSealed: z.string(), lastStep: z.string().nullable(), confirmedAt: date, createdAt: date })
    .nullable(),
})

/** The snapshot as JSON. The user's lock is held. */
export async function takeUndoSnapshot(tx: Transaction, user: User): Promise<string> {
  const { id: userId, name, image, unlinkedProviders } = user
  const factor = await tx.twoFactor.findUnique({ where: { userId } })
  return JSON.stringify({
    name,
    image,
    unlinkedProviders,
    twoFactor: factor?.confirmedAt ? savedFactor(factor) : null,
  })
}

const savedFactor = ({ secretSealed, lastStep, confirmedAt, createdAt }: TwoFactor) => ({
  secretSealed,
  lastStep: lastStep === null ? null : String(lastStep),
  confirmedAt,
  createdAt,
})

export const readUndoSnapshot = (json: string): UndoSnapshot => snapshot.parse(JSON.parse(json))
