import { Link } from '@remix-run/react'
import type { ReactNode } from 'react'

const look = 'rounded-xs font-medium text-accent underline underline-offset-3 hover:text-accent-strong'

export function TextLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Link to={to} className={look}>
      {children}
    </Link>
  )
}

/** A link to something that is not one of our pages. */
export function PlainLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <a href={href} className={look}>
      {children}
    </a>
  )
}
