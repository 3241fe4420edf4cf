import { type FormEvent, type InputHTMLAttributes, type ReactNode, useState } from 'react'
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
  | 'autoFocus'
  | 'required'
  | 'list'
> & {
  name: string
  /** Needed where two fields of a page have the same name. */
  id?: string
  label: string
  hint?: ReactNode
  /** A class of app.css that draws the box another way. */
  look?: string
  /** Something that sits in the right end of the box. */
  trailing?: ReactNode
}

/** One labelled text box with its hint and its error. It shows again what was typed before a failed submit. */
export function Field({
  name,
  id = name,
  label,
  hint,
  look = '',
  trailing,
  defaultValue,
  type = 'text',
  onInput,
  ...input
}: FieldProps) {
  const { fields, typed } = useFormState()
  // The error is about what was sent: it goes when the person types something else.
  const [corrected, setCorrected] = useState<typeof fields>()
  const error = fields === corrected ? undefined : fields[name]
  const onTyped = (event: FormEvent<HTMLInputElement>) => {
    if (error) setCorrected(fields)
    onInput?.(event)
  }
  const describedBy = [error && `${id}-error`, hint && `${id}-hint`].filter(Boolean).join(' ')
  return (
    <div className="grid max-w-md gap-1.5">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      {hint && (
        <p id={`${id}-hint`} className="text-sm text-pretty text-ink-soft">
          {hint}
        </p>
      )}
      <div className="relative">
        <input
          required
          {...input}
          onInput={onTyped}
          id={id}
          name={name}
          type={type}
          defaultValue={typed[name] ?? defaultValue}
          aria-invalid={error ? true : undefined}
          aria-describedby={describedBy || undefined}
          className={`min-h-11 w-full rounded-md border bg-field px-3.5 py-2.5 ${trailing ? 'pr-20' : ''} ${look} ${
            error ? 'border-danger outline-danger' : 'border-line-strong'
          }`}
        />
        {trailing}
      </div>
      {error && (
        <p id={`${id}-error`} className="text-sm font-medium text-danger">
          {error}
        </p>
      )}
    </div>
  )
}
