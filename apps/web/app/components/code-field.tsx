import { Field } from '#app/components/field.tsx'
import { useText } from '#app/text.ts'

/** Where a code of an authenticator is typed, or filled in by the device. */
export function CodeField() {
  const text = useText('codeField')
  return <Field name="code" label={text.label} hint={text.hint} autoComplete="one-time-code" inputMode="numeric" maxLength={16} />
}

export function BackupCodeField() {
  const text = useText('codeField')
  return <Field name="code" label={text.backupLabel} hint={text.backupHint} autoComplete="off" maxLength={64} />
}
