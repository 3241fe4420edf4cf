import { PasswordField } from '#app/components/password-field.tsx'

const hint = (shortest: number) => `At least ${shortest} characters. Several words in a row are easy to keep and hard to guess.`

type NewPasswordFieldProps = { name?: string; label: string; shortest: number }

/** Where a password is chosen. `shortest` comes from a loader: importing the rule would bring its whole library to the browser. */
export function NewPasswordField({ name = 'newPassword', label, shortest }: NewPasswordFieldProps) {
  return <PasswordField name={name} label={label} hint={hint(shortest)} autoComplete="new-password" />
}
