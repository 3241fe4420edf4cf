import { type Api, type AuditAction, policy } from '@floorpass/api'
import type { PageContext } from '@floorpass/functions'
import { nameOfDevice } from '#app/device-name.ts'
import { momentText } from '#app/moment-text.server.ts'
import { serverTextIn } from '#app/text.server.ts'
import { textIn } from '#app/text.ts'

type Event = Awaited<ReturnType<Api['profile']['listActivity']>>['events'][number]

const day = 24 * 60 * 60

/** How long an event is kept. */
export const keptDays = policy.sweep.keepAuditEvents / day

/** An event of the account in words that its owner understands. */
export function describeActivity(
  { id, action, succeeded, byAnother, browser, os, ipAddress, createdAt }: Event,
  page: PageContext,
) {
  const { activity, activityFailed } = serverTextIn(page.locale)
  const known = action as AuditAction
  return {
    id,
    succeeded,
    byAnother,
    what: (succeeded ? undefined : activityFailed[known]) ?? activity[known] ?? action,
    device: nameOfDevice(browser, os, textIn(page.locale)),
    ipAddress,
    when: momentText(createdAt, page.locale),
  }
}

export type ShownActivity = ReturnType<typeof describeActivity>
