import type { ReactNode } from 'react'

/** One of the steps of a long form: all are on the page, so that nothing is lost on the way. */
export function FormStep({ place, title, children }: { place: string; title: string; children: ReactNode }) {
  return (
    <fieldset className="grid gap-5 border-t border-line pt-5">
      <legend className="float-left w-full">
        <span className="block text-sm text-ink-soft">{place}</span>
        <span className="block text-lg font-semibold">{title}</span>
      </legend>
      {children}
    </fieldset>
  )
}
