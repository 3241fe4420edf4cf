import { useFormState } from '#app/components/page-form.tsx'

type SelectProps = {
  name: string
  /** Where several forms of a page have a field of this name. */
  id?: string
  label: string
  /** The label is for screen readers only: the row around says it to everybody else. */
  quietLabel?: boolean
  hint?: string
  defaultValue: string
  options: readonly { value: string; label: string }[]
}

/** One labelled choice out of a few, as the browser draws it. It shows again what was chosen before a failed submit. */
export function Select({ name, id = name, label, quietLabel = false, hint, defaultValue, options }: SelectProps) {
  const { fields, typed } = useFormState()
  const error = fields[name]
  return (
    <div className="grid max-w-md gap-1.5">
      <label htmlFor={id} className={quietLabel ? 'sr-only' : 'font-medium'}>
        {label}
      </label>
      {hint && (
        <p id={`${id}-hint`} className="text-sm text-pretty text-ink-soft">
          {hint}
        </p>
      )}
      <select
        id={id}
        name={name}
        defaultValue={typed[name] ?? defaultValue}
        aria-invalid={error ? true : undefined}
        aria-describedby={[error && `${id}-error`, hint && `${id}-hint`].filter(Boolean).join(' ') || undefined}
        className="min-h-11 w-full rounded-md border border-line-strong bg-field px-3 py-2.5 text-ink"
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      {error && (
        <p id={`${id}-error`} className="text-sm font-medium text-danger">
          {error}
        </p>
      )}
    </div>
  )
}
