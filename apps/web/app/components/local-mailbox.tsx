import { useRouteLoaderData } from '@remix-run/react'
import { PlainLink } from '#app/components/text-link.tsx'
import type { loader as rootLoader } from '#app/root.tsx'
import { useText } from '#app/text.ts'

/** Where a mail lands that cannot leave the machine. Nothing where mails are really sent. */
export function LocalMailbox() {
  const text = useText('localMailbox')
  const localMailbox = useRouteLoaderData<typeof rootLoader>('root')?.localMailbox ?? false
  if (!localMailbox) return null
  return (
    <p className="rounded-md bg-accent-soft px-4 py-3">
      {text.local} <PlainLink href="/dev/mailbox">{text.mailbox}</PlainLink>.
    </p>
  )
}
