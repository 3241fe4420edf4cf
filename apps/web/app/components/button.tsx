import { Link } from '@remix-run/react'
import type { ReactNode } from 'react'
import { useFormState } from '#app/components/page-form.tsx'
import { useHydrated } from '#app/use-hydrated.ts'

const base =
  'inline-flex min-h-11 items-center justify-center gap-2 rounded-md px-5 py-2.5 text-center transition-colors aria-disabled:cursor-progress'
const looks = {
  primary: 'bg-accent font-semibold text-on-accent hover:bg-accent-strong',
  secondary: 'border font-semibold border-line-strong bg-surface text-ink hover:bg-sunken',
  danger: 'bg-danger font-semibold text-on-accent hover:bg-danger-strong',
  // The colours that Google's brand rules ask for, the same for all.
  provider: 'border font-medium border-provider-line bg-provider text-provider-ink hover:bg-sunken',
  quiet: 'font-medium text-ink-soft hover:bg-sunken hover:text-ink',
} as const

type Look = { look?: keyof typeof looks; wide?: boolean; children: ReactNode }

/** The button of the form around it, or of the form with that id. While the form is sent it keeps its focus and its name. */
export function SubmitButton({ look = 'primary', wide = false, form, children }: Look & { form?: string }) {
  const { pending } = useFormState()
  return (
    <button
      type="submit"
      form={form}
      aria-disabled={pending || undefined}
      className={`${base} ${looks[look]} ${wide ? 'w-full' : ''}`}
    >
      {pending && (
        <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" className="animate-spin">
          <path d="M8 1.5a6.5 6.5 0 1 1-6.5 6.5" fill="none" stroke="currentColor" strokeWidth="2" strokeLinecap="round" />
        </svg>
      )}
      {children}
    </button>
  )
}

/** Prints the page. Without JavaScript it is not there; the browser's own way is. */
export function PrintButton({ children }: { children: string }) {
  return (
    useHydrated() && (
      <button type="button" onClick={() => window.print()} className={`${base} ${looks.secondary}`}>
        {children}
      </button>
    )
  )
}

type ButtonLinkProps = Look & {
  to: string
  /** Needed where the target is not a page. */
  reloadDocument?: boolean
}

export function ButtonLink({ to, look = 'primary', wide = false, reloadDocument = false, children }: ButtonLinkProps) {
  return (
    <Link to={to} reloadDocument={reloadDocument} className={`${base} ${looks[look]} ${wide ? 'w-full' : ''}`}>
      {children}
    </Link>
  )
}
