import { type FormEventHandler, useEffect, useState } from 'react'
import { Field } from '#app/components/field.tsx'
import { useFormState } from '#app/components/page-form.tsx'
import { useText } from '#app/text.ts'

type PasswordFieldProps = {
  name?: string
  label: string
  hint?: string
  autoComplete: 'current-password' | 'new-password'
  onInput?: FormEventHandler<HTMLInputElement>
}

/** A password box whose content can be shown. Paste and password managers work; without JavaScript the button is not there. */
export function PasswordField({ name = 'password', ...field }: PasswordFieldProps) {
  const text = useText('passwordField')
  const [shown, setShown] = useState<boolean | null>(null)
  const { pending } = useFormState()
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
          <button
            type="button"
            aria-controls={name}
            aria-label={shown ? text.hidePassword : text.showPassword}
            onClick={() => setShown(!shown)}
            className="absolute inset-y-1 right-1 min-w-16 rounded-sm px-3 text-sm font-medium text-ink-soft hover:text-ink noscript:hidden"
          >
            {shown ? text.hide : text.show}
          </button>
          <span role="status" className="sr-only">
            {shown === null ? '' : shown ? text.isShown : text.isHidden}
          </span>
        </>
      }
    />
  )
}
