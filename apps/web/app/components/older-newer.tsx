import { TextLink } from '#app/components/text-link.tsx'

type OlderNewerProps = {
  newest: { to: string; label: string } | null
  older: { to: string; label: string } | null
}

/** Links between the pages of a long list. */
export function OlderNewer({ newest, older }: OlderNewerProps) {
  if (!newest && !older) return null
  return (
    <p className="mt-4 flex flex-wrap justify-between gap-x-6 gap-y-3">
      {newest && <TextLink to={newest.to}>{newest.label}</TextLink>}
      {older && <TextLink to={older.to}>{older.label}</TextLink>}
    </p>
  )
}
