import type { ReactNode } from 'react'
import { isOn } from '#app/components/checkbox.tsx'
import { useFormState } from '#app/components/page-form.tsx'

type SwitchProps = { name: string; label: string; hint?: string; defaultChecked?: boolean; disabled?: boolean }

/** A checkbox that reads as on or off. */
export function Switch({ name, label, hint, defaultChecked = false, disabled }: SwitchProps) {
  const { typed } = useFormState()
  return (
    <div className="grid grid-cols-[1fr_auto] items-center gap-x-6 gap-y-2">
      <label htmlFor={name} className="font-semibold">
        {label}
      </label>
      <input
        type="checkbox"
        // biome-ignore lint/a11y/useAriaPropsForRole: a checkbox tells its own state
        role="switch"
        id={name}
        name={name}
        defaultChecked={isOn(typed[name], defaultChecked)}
        disabled={disabled}
        aria-describedby={hint ? `${name}-hint` : undefined}
        className="relative h-7 w-12 shrink-0 cursor-pointer appearance-none rounded-full border border-line-strong bg-sunken transition-colors before:absolute before:top-1/2 before:left-1 before:size-4.5 before:-translate-y-1/2 before:rounded-full before:bg-line-strong before:transition-transform checked:border-accent checked:bg-accent checked:before:translate-x-5 checked:before:bg-on-accent disabled:opacity-50 forced-colors:appearance-auto"
      />
      {hint && (
        <p id={`${name}-hint`} className="col-span-2 text-ink-soft sm:col-span-1">
          {hint}
        </p>
      )}
    </div>
  )
}

const cardLook =
  'flex cursor-pointer items-start gap-3 rounded-md border border-line bg-surface px-4 py-3 hover:border-line-strong outline-transparent has-checked:border-accent has-checked:bg-accent-soft has-checked:outline-2 has-checked:-outline-offset-3'

type RadioCardsProps = {
  name: string
  legend: string
  hint?: string
  defaultValue: string
  options: readonly { value: string; label: string; description: string; disabled?: boolean }[]
}

export function RadioCards({ name, legend, hint, defaultValue, options }: RadioCardsProps) {
  const { fields, typed } = useFormState()
  const error = fields[name]
  const chosen = typed[name] ?? defaultValue
  return (
    <fieldset
      aria-describedby={[error && `${name}-error`, hint && `${name}-hint`].filter(Boolean).join(' ') || undefined}
      className="grid gap-3"
    >
      <legend className="font-semibold">{legend}</legend>
      {hint && (
        <p id={`${name}-hint`} className="text-ink-soft">
          {hint}
        </p>
      )}
      {options.map((option, index) => (
        <label key={option.value} className={cardLook}>
          <input
            type="radio"
            id={index === 0 ? name : undefined}
            name={name}
            value={option.value}
            disabled={option.disabled}
            defaultChecked={option.value === chosen}
            className="choice mt-0.5"
          />
          <span className="grid gap-0.5">
            <span className="font-semibold">{option.label}</span>
            <span className="text-sm text-ink-soft">{option.description}</span>
          </span>
        </label>
      ))}
      {error && (
        <p id={`${name}-error`} className="text-sm font-medium text-danger">
          {error}
        </p>
      )}
    </fieldset>
  )
}

type CheckboxCardsProps = {
  legend: string
  hint?: string
  /** Each is a field. A failure of the whole choice stands at the first. */
  options: readonly {
    name: string
    label: string
    description: string
    defaultChecked?: boolean
    onChange?: (isChecked: boolean) => void
    className?: string
  }[]
  /** About options that are missing. */
  children?: ReactNode
}

/** Like `RadioCards`, where several may be chosen. */
export function CheckboxCards({ legend, hint, options, children }: CheckboxCardsProps) {
  const { fields, typed } = useFormState()
  const group = options[0]?.name ?? ''
  const error = fields[group]
  return (
    <fieldset
      aria-describedby={[error && `${group}-error`, hint && `${group}-hint`].filter(Boolean).join(' ') || undefined}
      className="grid gap-3"
    >
      <legend className="font-semibold">{legend}</legend>
      {hint && (
        <p id={`${group}-hint`} className="text-ink-soft">
          {hint}
        </p>
      )}
      {options.map(({ name, label, description, defaultChecked = false, onChange, className = '' }) => (
        <label key={name} className={`${cardLook} ${className}`}>
          <input
            type="checkbox"
            id={name}
            name={name}
            defaultChecked={isOn(typed[name], defaultChecked)}
            onChange={(event) => onChange?.(event.target.checked)}
            aria-invalid={error && name === group ? true : undefined}
            className="choice mt-0.5"
          />
          <span className="grid gap-0.5">
            <span className="font-semibold">{label}</span>
            <span className="text-sm text-ink-soft">{description}</span>
          </span>
        </label>
      ))}
      {children}
      {error && (
        <p id={`${group}-error`} className="text-sm font-medium text-danger">
          {error}
        </p>
      )}
    </fieldset>
  )
}
