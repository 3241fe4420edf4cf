import type { MouseEvent, ReactNode } from 'react'

/**
 * A link to a part of the same page, by its id. The router takes a change of the fragment for a navigation, which drops what the last form
 * answered, backup codes too: so with JavaScript it goes there by itself. Inside a form, `to` may be the name of one of its fields.
 */
export function JumpLink({ to, className, children }: { to: string; className: string; children: ReactNode }) {
  const jump = (event: MouseEvent<HTMLAnchorElement>) => {
    const field = event.currentTarget.closest('form')?.elements.namedItem(to)
    const target = field instanceof HTMLElement ? field : document.getElementById(to)
    if (!target || event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    target.focus()
    target.scrollIntoView({ block: 'nearest' })
  }
  return (
    <a href={`#${to}`} onClick={jump} className={className}>
      {children}
    </a>
  )
}
