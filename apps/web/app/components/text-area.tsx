import { type ComponentProps, useState } from 'react'
import { useFormState } from '#app/components/page-form.tsx'

type TextAreaProps = Pick<ComponentProps<'textarea'>, 'rows' | 'maxLength' | 'required'> & {
  name: string
  label: string
  hint?: string
}

/** A labelled box for lines of code or numbers. It shows again what was typed before a failed submit. */
export function TextArea({ name, label, hint, ...box }: TextAreaProps) {
  const { fields, typed } = useFormState()
  // The error is about what was sent: it goes when the person types something else.
  const [corrected, setCorrected] = useState<typeof fields>()
  const error = fields === corrected ? undefined : fields[name]
  return (
    <div className="grid max-w-xl gap-1.5">
      <label htmlFor={name} className="font-medium">
        {label}
      </label>
      {hint && (
        <p id={`${name}-hint`} className="text-sm text-pretty text-ink-soft">
          {hint}
        </p>
      )}
      <textarea
        {...box}
        id={name}
        name={name}
        defaultValue={typed[name]}
        onInput={() => error && setCorrected(fields)}
        autoComplete="off"
        autoCapitalize="none"
        autoCorrect="off"
        spellCheck={false}
        aria-invalid={error ? true : undefined}
        aria-describedby={[error && `${name}-error`, hint && `${name}-hint`].filter(Boolean).join(' ') || undefined}
        className={`w-full rounded-md border bg-field px-3.5 py-2.5 font-mono ${
          error ? 'border-danger outline-danger' : 'border-line-strong'
        }`}
      />
      {error && (
        <p id={`${name}-error`} className="text-sm font-medium text-danger">
          {error}
        </p>
      )}
    </div>
  )
}
