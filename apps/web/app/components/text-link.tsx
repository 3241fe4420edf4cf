import { Link } from '@remix-run/react'
import type { ReactNode } from 'react'

const look = 'rounded-xs font-medium text-accent underline underline-offset-3 hover:text-accent-strong'

/** `state` stays in this tab's history: it travels to no server. */
export function TextLink({ to, state, children }: { to: string; state?: unknown; children: ReactNode }) {
  return (
    <Link to={to} state={state} className={look}>
      {children}
    </Link>
  )
}

/** A link to something that is not one of our pages. `download` names the file that it becomes. */
export function PlainLink({ href, download, children }: { href: string; download?: string; children: ReactNode }) {
  return (
    <a href={href} download={download} className={look}>
      {children}
    </a>
  )
}
