import type { ReactNode } from 'react'

/** `danger` marks what cannot be undone. */
export function Card({ title, danger = false, children }: { title?: string; danger?: boolean; children: ReactNode }) {
  return (
    <section
      className={`@container grid content-start gap-5 rounded-xl border ${danger ? 'border-danger/45' : 'border-line'} bg-surface p-5 shadow-lift sm:p-7`}
    >
      {title && <h2 className="text-lg font-semibold">{title}</h2>}
      {children}
    </section>
  )
}

/** Rows of name and value, side by side where the card is wide enough. */
export function Facts({ rows }: { rows: readonly { name: string; value: ReactNode; more?: ReactNode }[] }) {
  return (
    <dl className="-mb-4 divide-y divide-line border-t border-line first:-mt-4 first:border-t-0">
      {rows.map(({ name, value, more }) => (
        <div
          key={name}
          className={`grid gap-x-6 gap-y-1 py-4 ${more ? '@md:grid-cols-[9rem_1fr_minmax(7rem,auto)]' : '@md:grid-cols-[9rem_1fr]'} @md:items-baseline`}
        >
          <dt className="min-w-0 wrap-anywhere text-ink-soft">{name}</dt>
          <dd className="min-w-0 font-medium wrap-anywhere">{value}</dd>
          {more && <dd>{more}</dd>}
        </div>
      ))}
    </dl>
  )
}

/** One name and value of a small list in a row. */
export function Detail({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-ink-soft">{name}</dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </>
  )
}
