import { type Api, type AuditAction, policy } from '@floorpass/api'
import type { PageContext } from '@floorpass/functions'
import { describeDevice } from '#app/describe-device.server.ts'
import { momentText } from '#app/moment-text.server.ts'
import { serverTextIn } from '#app/text.server.ts'
import { textIn } from '#app/text.ts'

type Event = Awaited<ReturnType<Api['profile']['listActivity']>>['events'][number]

const day = 24 * 60 * 60

/** How long an event is kept. */
export const keptDays = policy.sweep.keepAuditEvents / day

/** An event of the account in words that its owner understands. */
export function describeActivity(
  { id, action, succeeded, byAnother, details, device, browser, os, ipAddress, place, createdAt }: Event,
  page: PageContext,
) {
  const { activity, activityFailed, changedFields, withFields } = serverTextIn(page.locale)
  const known = action as AuditAction
  const what = (succeeded ? undefined : activityFailed[known]) ?? activity[known] ?? action
  const byAdministrator = action === 'impersonate-user' || action === 'stop-impersonating'
  const fields = String(details?.fields ?? '')
    .split(',')
    .flatMap((field) => (Object.hasOwn(changedFields, field) ? [changedFields[field as keyof typeof changedFields]] : []))
  return {
    id,
    succeeded,
    byAnother,
    byAdministrator,
    reason: byAdministrator && typeof details?.reason === 'string' ? details.reason : null,
    what: fields.length > 0 ? withFields(what, fields.join(', ')) : what,
    device: describeDevice({ device, browser, os, ipAddress, place }, textIn(page.locale)),
    ipAddress,
    when: momentText(createdAt, page.locale),
  }
}

export type ShownActivity = ReturnType<typeof describeActivity>
