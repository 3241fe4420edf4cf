import { type FormEventHandler, useEffect, useState } from 'react'
import { Field } from '#app/components/field.tsx'
import { useFormState } from '#app/components/page-form.tsx'
import { useText } from '#app/text.ts'
import { useHydrated } from '#app/use-hydrated.ts'

type PasswordFieldProps = {
  name?: string
  /** Needed where a page has two of a name. */
  id?: string
  label: string
  hint?: string
  autoComplete: 'current-password' | 'new-password'
  onInput?: FormEventHandler<HTMLInputElement>
  autoFocus?: boolean
}

/** A password box whose content can be shown. Paste and password managers work; the button is there when it works, so not without JavaScript. */
export function PasswordField({ name = 'password', ...field }: PasswordFieldProps) {
  const text = useText('passwordField')
  const [shown, setShown] = useState<boolean | null>(null)
  const { pending } = useFormState()
  const hydrated = useHydrated()
  useEffect(() => {
    if (pending) setShown(null)
  }, [pending])
  return (
    <Field
      {...field}
      name={name}
      type={shown ? 'text' : 'password'}
      // A shown password is text to the browser: spell checkers send it away, phones learn and capitalise it.
      spellCheck={false}
      autoCapitalize="none"
      autoCorrect="off"
      trailing={
        <>
          {hydrated && (
            <button
              type="button"
              aria-controls={name}
              aria-label={shown ? text.hidePassword : text.showPassword}
              onClick={() => setShown(!shown)}
              className="absolute inset-y-1 right-1 min-w-16 rounded-sm px-3 text-sm font-medium text-ink-soft hover:text-ink"
            >
              {shown ? text.hide : text.show}
            </button>
          )}
          <span role="status" className="sr-only">
            {shown === null ? '' : shown ? text.isShown : text.isHidden}
          </span>
        </>
      }
    />
  )
}
