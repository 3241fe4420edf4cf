import type { ReactNode } from 'react'

/** The content of a page, after its navigation: the skip link and every navigation lead here. */
export function Main({ className = 'grid gap-8', children }: { className?: string; children: ReactNode }) {
  return (
    <main id="main" tabIndex={-1} className={`min-w-0 content-start ${className}`}>
      {children}
    </main>
  )
}
