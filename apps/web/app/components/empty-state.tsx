import type { ReactNode } from 'react'

/** Stands in place of a list without rows: what it is for, and the first step. */
export function EmptyState({ title, lead, children }: { title: string; lead: string; children?: ReactNode }) {
  return (
    <div className="grid justify-items-start gap-3 rounded-md border border-dashed border-line-strong px-5 py-6">
      <p className="font-semibold">{title}</p>
      <p className="text-pretty text-ink-soft">{lead}</p>
      {children}
    </div>
  )
}
