import { type Api, AppError, toAppError } from '@floorpass/api'
import { redirect } from '@remix-run/node'
import { actIntents } from '#app/components/user-acts.tsx'
import type { Text } from '#app/text.ts'

type Act = (typeof actIntents)[number]

type Form = { api: Api; userId: string; field: (name: string) => string; text: Text }

/** Runs the act that the intent names. Null: no such act. */
export async function actOnUser(intent: string, { api, userId, field, text }: Form): Promise<{ done: string } | null> {
  const { administration } = api
  const { administrationActs: acts } = text
  const onUser = () => ({ userId, reason: field('reason') })
  const act = actIntents.find((name) => name === intent)
  if (!act) return null
  const run: Record<Act, () => Promise<unknown>> = {
    profile: async () => {
      const { name, email } = await administration.getUser({ id: userId })
      const changed = {
        ...(field('name') !== name && { name: field('name') }),
        ...(field('email') !== email && { email: field('email') }),
      }
      return administration.updateUser({ ...onUser(), data: changed })
    },
    role: () => administration.setRole({ ...onUser(), role: field('role') }),
    password: () => administration.setUserPassword({ ...onUser(), newPassword: field('newPassword') }),
    twoFactor: () => administration.disableTwoFactor(onUser()),
    suspend: () => {
      const seconds = field('banExpiresIn')
      return administration.banUser({
        userId,
        banReason: field('banReason'),
        ...(seconds !== '' && { banExpiresIn: Number(seconds) }),
      })
    },
    restore: () => administration.unbanUser({ ...onUser(), clearPassword: field('clearPassword') === 'on' }),
    remove: () => administration.removeUser(onUser()),
  }
  return describeOutcome(run[act], { done: acts[act].done, waits: acts.waits, isRemoval: intent === 'remove' })
}

/** Approves by repeating the requester's call. */
export async function approve(id: string, { api, userId, text }: Form): Promise<{ done: string }> {
  const { administration } = api
  const { approvals } = await administration.listApprovals({ userId })
  const found = approvals.find((approval) => approval.id === id)
  if (!found) throw new AppError('APPROVAL_NOT_FOUND')
  const { action, reason, role, clearPassword } = found
  const acts: Record<string, () => Promise<unknown>> = {
    'set-role': () => administration.setRole({ userId, role: role ?? 'user', reason }),
    'restore-user': () => administration.unbanUser({ userId, reason, clearPassword }),
    'remove-user': () => administration.removeUser({ userId, reason }),
    'disable-two-factor': () => administration.disableTwoFactor({ userId, reason }),
  }
  const { administrationActs, administrationApproval } = text
  return describeOutcome(acts[action] ?? (() => Promise.reject(new AppError('APPROVAL_NOT_FOUND'))), {
    done: administrationApproval.approved,
    waits: administrationActs.waits,
    isRemoval: action === 'remove-user',
  })
}

/** A request that waits for a second administrator is no failure for the page. */
async function describeOutcome(
  act: () => Promise<unknown>,
  { done, waits, isRemoval }: { done: string; waits: string; isRemoval: boolean },
): Promise<{ done: string }> {
  try {
    await act()
  } catch (thrown) {
    if (toAppError(thrown).key === 'APPROVAL_REQUIRED') return { done: waits }
    throw thrown
  }
  if (isRemoval) throw redirect('/admin')
  return { done }
}
