import type { ReactNode } from 'react'

/** The title of a page and the sentence under it. */
export function Heading({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="grid gap-2">
      <h1 className="text-2xl font-semibold sm:text-3xl wrap-anywhere">{title}</h1>
      {children && <div className="text-pretty text-ink-soft wrap-anywhere">{children}</div>}
    </div>
  )
}
