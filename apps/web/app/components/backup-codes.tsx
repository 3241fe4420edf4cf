import { PrintButton } from '#app/components/button.tsx'
import { PlainLink } from '#app/components/text-link.tsx'

const text = {
  label: 'Backup codes',
  lead: 'Each of them signs you in once, when your authenticator is not at hand. They are shown here and never again: keep them where you will find them without your phone.',
  download: 'Download as a text file',
  print: 'Print this page',
  fileName: (appName: string) => `${appName.toLowerCase().replace(/[^a-z0-9]+/g, '-')}-backup-codes.txt`,
  file: (appName: string, account: string) => `${appName}: backup codes of ${account}. Each works once.`,
}

type BackupCodesProps = { appName: string; account: string; codes: readonly string[] }

/** New codes, to keep. The file is a part of the page: the codes travel no second time. */
export function BackupCodes({ appName, account, codes }: BackupCodesProps) {
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
        <PrintButton>{text.print}</PrintButton>
      </div>
    </div>
  )
}
