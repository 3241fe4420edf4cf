import { Field } from '#app/components/field.tsx'

const text = {
  label: 'Code from your authenticator',
  hint: 'Six digits. They change every thirty seconds.',
  backupLabel: 'Backup code',
  backupHint: 'One of the codes you kept when you set this up. Each works once.',
}

/** Where a code of an authenticator is typed, or filled in by the device. */
export const CodeField = () => (
  <Field name="code" label={text.label} hint={text.hint} autoComplete="one-time-code" inputMode="numeric" maxLength={16} />
)

export const BackupCodeField = () => (
  <Field name="code" label={text.backupLabel} hint={text.backupHint} autoComplete="off" maxLength={64} />
)
