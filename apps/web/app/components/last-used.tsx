import type { ReactNode } from 'react'

export const lastUsedId = 'last-used'

/** Marks the button in it as the way that this browser signed in last. Without a badge it draws the button alone. */
export function LastUsed({ badge, children }: { badge: string | false; children: ReactNode }) {
  if (!badge) return children
  return (
    <div className="relative grid">
      {children}
      <p
        id={lastUsedId}
        className="pointer-events-none absolute -top-2.5 right-3 rounded-full border border-line-strong bg-surface px-2 text-xs leading-5 font-medium text-ink"
      >
        {badge}
      </p>
    </div>
  )
}
