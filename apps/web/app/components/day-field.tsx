type DayFieldProps = { name: string; label: string; day: string; error: string | undefined }

export function DayField({ name, label, day, error }: DayFieldProps) {
  return (
    <div className="grid gap-1.5">
      <label htmlFor={name} className="font-medium">
        {label}
      </label>
      <input
        id={name}
        name={name}
        type="date"
        defaultValue={day}
        aria-invalid={error ? true : undefined}
        aria-describedby={error && `${name}-error`}
        // A part of the box has the focus, which is not :focus-visible.
        className={`min-h-11 w-full min-w-0 rounded-md border bg-field px-3.5 py-2.5 focus-within:outline-3 focus-within:outline-offset-2 ${error ? 'border-danger outline-danger' : 'border-line-strong outline-accent'}`}
      />
      {error && (
        <p id={`${name}-error`} className="text-sm font-medium text-danger">
          {error}
        </p>
      )}
    </div>
  )
}
