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

/** A link to something that is not one of our pages. `download` names the file that it becomes. */
export function PlainLink({ href, download, children }: { href: string; download?: string; children: ReactNode }) {
  return (
    <a href={href} download={download} className={look}>
      {children}
    </a>
  )
}

/** Sends the form around it like a button, with this name, and looks like a link. */
export function TextButton({ name, children }: { name: string; children: ReactNode }) {
  return (
    <button type="submit" name={name} value="on" className={`${look} justify-self-start`}>
      {children}
    </button>
  )
}
