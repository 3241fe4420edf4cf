import { Card, Detail } from '#app/components/card.tsx'
import { ConfirmButton } from '#app/components/confirm-button.tsx'
import { EmptyState } from '#app/components/empty-state.tsx'
import { ExactMoment, type MomentWords } from '#app/components/moment.tsx'
import { Status } from '#app/components/status.tsx'
import type { FormFailure } from '#app/form-result.ts'
import { useText } from '#app/text.ts'

export type AllowListEntry = {
  id: string
  kind: string
  value: string
  /** The label, or the shortened address. */
  name: string
  counts: MomentWords
  usable: boolean
}

type AllowListEntriesProps = {
  path: string
  entries: readonly AllowListEntry[]
  hours: number
  failureOf: (intent: string) => FormFailure | undefined
}

export function AllowListEntries({ entries, ...rest }: AllowListEntriesProps) {
  const text = useText('allowList')
  return (
    <Card title={text.listTitle}>
      {entries.length === 0 ? (
        <EmptyState title={text.none} lead={text.noneLead} />
      ) : (
        <ul className="-mb-4 divide-y divide-line border-t border-line">
          {entries.map((entry) => (
            <EntryRow key={entry.id} {...entry} {...rest} />
          ))}
        </ul>
      )}
    </Card>
  )
}

type EntryRowProps = AllowListEntry & Omit<AllowListEntriesProps, 'entries'>

function EntryRow({ id, kind, value, name, counts, usable, path, hours, failureOf }: EntryRowProps) {
  const text = useText('allowList')
  return (
    <li className="grid gap-3 py-4">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <p className="font-semibold wrap-anywhere">{name}</p>
        <Status good={usable}>{usable ? text.ready : text.waiting}</Status>
      </div>
      <dl className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-0.5 text-[0.8125rem] sm:text-sm">
        <Detail name={text.kind}>{kind}</Detail>
        <Detail name={text.address}>
          <code className="font-mono">{value}</code>
        </Detail>
        <Detail name={usable ? text.countsSince : text.countsFrom}>
          <ExactMoment {...counts} />
        </Detail>
      </dl>
      <div className="flex flex-wrap items-start gap-3">
        <ConfirmButton
          name={`remove:${id}`}
          label={text.remove}
          of={name}
          title={text.removeTitle(name)}
          lead={text.removeLead(hours)}
          confirm={text.removeConfirm(name)}
          form={{ action: path, intent: `remove ${id}`, failure: failureOf(`remove ${id}`) }}
        />
      </div>
    </li>
  )
}
