import type { ReactNode } from 'react'
import { JumpLink } from '#app/components/jump-link.tsx'
import type { PageError } from '#app/form-result.ts'

/** What went wrong, above the form, with a way to each field or a way out. Without JavaScript the browser focuses it. */
export function FormErrors({ error, remedy }: { error: PageError; remedy?: ReactNode }) {
  const fields = Object.entries(error.fields)
  return (
    <div
      role="alert"
      tabIndex={-1}
      // biome-ignore lint/a11y/noAutofocus: after a failed submit the person must land on the reason
      autoFocus
      data-form-errors
      className="grid gap-2 rounded-md border-l-4 border-danger bg-danger-soft px-4 py-3"
    >
      <p className="font-semibold text-danger">{error.message}</p>
      {fields.length > 0 && (
        <ul className="grid gap-1">
          {fields.map(([name, message]) => (
            <li key={name}>
              <JumpLink to={name} className="rounded-xs text-danger underline underline-offset-3">
                {message}
              </JumpLink>
            </li>
          ))}
        </ul>
      )}
      {remedy && <div className="my-1">{remedy}</div>}
    </div>
  )
}
