import { PasswordField } from '#app/components/password-field.tsx'
import { useText } from '#app/text.ts'

type NewPasswordFieldProps = { name?: string; label: string; shortest: number }

/** Where a password is chosen. `shortest` comes from a loader: importing the rule would bring its whole library to the browser. */
export function NewPasswordField({ name = 'newPassword', label, shortest }: NewPasswordFieldProps) {
  const text = useText('newPassword')
  return <PasswordField name={name} label={label} hint={text.hint(shortest)} autoComplete="new-password" />
}
