import { DeviceIcon } from '#app/components/device-icon.tsx'
import { ExactMoment, Moment } from '#app/components/moment.tsx'
import { TextLink } from '#app/components/text-link.tsx'
import type { ShownActivity } from '#app/describe-activity.server.ts'
import { useText } from '#app/text.ts'

type ActivityListProps = {
  events: readonly ShownActivity[]
  /** Only what and when: for a glance. */
  brief?: boolean
}

/** What happened on the account, newest first. */
export function ActivityList({ events, brief = false }: ActivityListProps) {
  const text = useText('activity')
  return (
    <ul className="-mb-4 divide-y divide-line border-t border-line">
      {events.map(({ id, what, succeeded, byAnother, byAdministrator, reason, device, when }) => (
        <li key={id} className="grid gap-x-6 gap-y-2 py-4 @md:grid-cols-[1fr_auto] @md:items-baseline">
          <div className="grid min-w-0 gap-0.5 wrap-anywhere">
            <p className={`font-medium ${succeeded ? '' : 'text-danger'}`}>{what}</p>
            {!brief && reason && <p className="text-sm">{text.reasonOf(reason)}</p>}
            {!brief && !byAdministrator && (
              <p className="flex items-start gap-2 text-sm text-ink-soft">
                {!byAnother && <DeviceIcon kind={device.kind} small />}
                {byAnother
                  ? text.byAnother
                  : [device.name, device.network || text.unknownAddress, device.place].filter(Boolean).join(' · ')}
              </p>
            )}
            <p className="text-sm text-ink-soft">
              <Moment {...when} />
            </p>
          </div>
          {!brief && (
            <p className="text-sm">
              <TextLink to="/settings/activity/not-me">
                {text.notMe}
                <span className="sr-only">
                  {' '}
                  ({what}, <ExactMoment {...when} />)
                </span>
              </TextLink>
            </p>
          )}
        </li>
      ))}
    </ul>
  )
}
