import { CopyButton } from '#app/components/copy-button.tsx'
import { PrintButton } from '#app/components/print-button.tsx'
import { PlainLink } from '#app/components/text-link.tsx'
import { useText } from '#app/text.ts'

type BackupCodesProps = { appName: string; account: string; codes: readonly string[] }

/** New codes, to keep. The file is a part of the page: the codes travel no second time. */
export function BackupCodes({ appName, account, codes }: BackupCodesProps) {
  const text = useText('backupCodes')
  const file = `${text.file(appName, account)}\n\n${codes.join('\n')}\n`
  return (
    <div className="grid gap-4">
      <p className="text-ink-soft">{text.lead}</p>
      <ul aria-label={text.label} className="grid gap-x-6 gap-y-1 rounded-md bg-sunken px-4 py-3 font-mono @md:grid-cols-2">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="flex flex-wrap items-center gap-x-6 gap-y-3 print:hidden">
        <PlainLink href={`data:text/plain;charset=utf-8,${encodeURIComponent(file)}`} download={text.fileName(appName)}>
          {text.download}
        </PlainLink>
        <CopyButton value={codes.join('\n')}>{text.copy}</CopyButton>
        <PrintButton>{text.print}</PrintButton>
      </div>
    </div>
  )
}
