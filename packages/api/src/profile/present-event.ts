import type { AuditEvent, User } from '@floorpass/db'
import { isByAnother } from '../audit-log/audit-log.ts'
import type { Context } from '../context.ts'
import { toLocale } from '../kernel/locale.ts'
import { describeDevice } from '../sessions/describe-device.ts'

type Viewer = Pick<Context, 'findPlace'> & { user: Pick<User, 'locale'> }

/** Hides the device, IP address and place of another actor. */
export function presentEvent(event: AuditEvent, { findPlace, user }: Viewer) {
  const { id, action, succeeded, ipAddress, userAgent, details, createdAt } = event
  const byAnother = isByAnother(event)
  return {
    id,
    action,
    succeeded,
    byAnother,
    details: details as Record<string, string | number | boolean> | null,
    ipAddress: byAnother ? '' : ipAddress,
    ...describeDevice(byAnother ? '' : userAgent),
    place: byAnother ? null : findPlace(ipAddress, toLocale(user.locale)),
    createdAt,
  }
}
