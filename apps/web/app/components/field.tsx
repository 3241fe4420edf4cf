import type { InputHTMLAttributes, ReactNode } from 'react'
import { useFormState } from '#app/components/page-form.tsx'

type FieldProps = Pick<
  InputHTMLAttributes<HTMLInputElement>,
  | 'type'
  | 'autoComplete'
  | 'autoCapitalize'
  | 'autoCorrect'
  | 'spellCheck'
  | 'inputMode'
  | 'defaultValue'
  | 'maxLength'
  | 'onInput'
> & {
  name: string
  label: string
  hint?: string
  /** Something that sits in the right end of the box. */
  trailing?: ReactNode
}

/** One labelled text box with its hint and its error. It shows again what was typed before a failed submit. */
export function Field({ name, label, hint, trailing, defaultValue, type = 'text', ...input }: FieldProps) {
  const { fields, typed } = useFormState()
  const error = fields[name]
  const describedBy = [error && `${name}-error`, hint && `${name}-hint`].filter(Boolean).join(' ')
  return (
    <div className="grid max-w-md gap-1.5">
      <label htmlFor={name} className="font-medium">
        {label}
      </label>
      {hint && (
        <p id={`${name}-hint`} className="text-sm text-pretty text-ink-soft">
          {hint}
        </p>
      )}
      <div className="relative">
        <input
          {...input}
          id={name}
          name={name}
          type={type}
          required
          defaultValue={typed[name] ?? defaultValue}
          aria-invalid={error ? true : undefined}
          aria-describedby={describedBy || undefined}
          className={`min-h-11 w-full rounded-md border bg-field px-3.5 py-2.5 ${trailing ? 'pr-20' : ''} ${
            error ? 'border-danger outline-danger' : 'border-line-strong'
          }`}
        />
        {trailing}
      </div>
      {error && (
        <p id={`${name}-error`} className="text-sm font-medium text-danger">
          {error}
        </p>
      )}
    </div>
  )
}
