import { useFormState } from '#app/components/page-form.tsx'

type CheckboxProps = { name: string; label: string; defaultChecked?: boolean; onChange?: (isChecked: boolean) => void }

export function Checkbox({ name, label, defaultChecked = false, onChange }: CheckboxProps) {
  const { typed } = useFormState()
  return (
    <label className="flex min-h-6 items-start gap-3">
      <input
        type="checkbox"
        name={name}
        defaultChecked={isOn(typed[name], defaultChecked)}
        onChange={(event) => onChange?.(event.target.checked)}
        className="choice mt-0.5"
      />
      {label}
    </label>
  )
}

/** After a failed submit, what was typed counts: an unticked box is sent as nothing at all. */
export const isOn = (typed: string | undefined, otherwise: boolean) => (typed === undefined ? otherwise : typed === 'on')
