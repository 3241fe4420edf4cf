import { CodeField } from '#app/components/code-field.tsx'
import { PasswordField } from '#app/components/password-field.tsx'
import { useText } from '#app/text.ts'

/** What proves that a change of the second factor is its owner's: the password, or a code where there is none. */
export function OwnerProof({ hasPassword }: { hasPassword: boolean }) {
  const text = useText('ownerProof')
  return hasPassword ? <PasswordField label={text.password} hint={text.hint} autoComplete="current-password" /> : <CodeField />
}

/** The same as the API takes it: the box that was filled in. */
export const proofOf = (field: (name: string) => string): { password?: string; code?: string } =>
  Object.fromEntries(['password', 'code'].map((name) => [name, field(name)]).filter(([, value]) => value !== ''))
