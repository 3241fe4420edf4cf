import { Alert } from '#app/components/alert.tsx'
import { Card } from '#app/components/card.tsx'
import { CopyButton } from '#app/components/copy-button.tsx'
import { PrintButton } from '#app/components/print-button.tsx'
import { TextLink } from '#app/components/text-link.tsx'
import { useText } from '#app/text.ts'

/** The only page that ever shows the key of a lock. */
export function LockMade({ path, made }: { path: string; made: { lockKey: string } }) {
  const text = useText('protection')
  const { lockKey } = made
  return (
    <Card title={text.lockMade}>
      <Alert look="success" landing={made}>
        {text.lockKeyLead}
      </Alert>
      <dl className="grid w-full gap-1.5">
        <dt className="font-medium">{text.lockKey}</dt>
        <dd className="rounded-md bg-sunken px-4 py-3 font-mono select-all wrap-anywhere">{lockKey}</dd>
      </dl>
      <div className="flex flex-wrap items-center gap-x-6 gap-y-3 print:hidden">
        <CopyButton value={lockKey}>{text.copyLockKey}</CopyButton>
        <PrintButton>{text.printLockKey}</PrintButton>
        <TextLink to={path}>{text.lockKeyKept}</TextLink>
      </div>
    </Card>
  )
}
