import { Link } from '@remix-run/react'
import type { ReactNode } from 'react'
import { useFormState } from '#app/components/page-form.tsx'
import { useHydrated } from '#app/use-hydrated.ts'

const base =
  'inline-flex min-h-11 items-center justify-center gap-2 rounded-md border px-5 py-2.5 text-center transition-colors aria-disabled:cursor-progress'
const looks = {
  // A border that only forced colours show.
  primary: 'border-transparent bg-accent font-semibold text-on-accent hover:bg-accent-strong',
  secondary: 'font-semibold border-line-strong bg-surface text-ink hover:bg-sunken',
  danger: 'border-transparent bg-danger font-semibold text-on-accent hover:bg-danger-strong',
  // The colours that Google's brand rules ask for, the same for all.
  provider: 'font-medium border-provider-line bg-provider text-provider-ink hover:bg-sunken',
  quiet: 'border-transparent font-medium text-ink-soft hover:bg-sunken hover:text-ink',
} as const

type Look = { look?: keyof typeof looks; wide?: boolean; describedBy?: string | undefined; children: ReactNode }

type SubmitButtonProps = Look & {
  form?: string
  /** What the form says when this button sends it. */
  name?: string
  value?: string
}

/** The button of the form around it, or of the form with that id. While the form is sent it keeps its focus and its name. */
export function SubmitButton({ look = 'primary', wide = false, describedBy, form, name, value, children }: SubmitButtonProps) {
  const { pending } = useFormState()
  return (
    <button
      type="submit"
      form={form}
      name={name}
      value={value}
      aria-describedby={describedBy}
      aria-disabled={pending || undefined}
      className={`${base} ${looks[look]} ${wide ? 'w-full' : ''}`}
    >
      {pending && <Spinner />}
      {children}
    </button>
  )
}

function Spinner() {
  return (
    <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" className="animate-spin">
      <path d="M8 1.5a6.5 6.5 0 1 1-6.5 6.5" fill="none" stroke="currentColor" strokeWidth="2" strokeLinecap="round" />
    </svg>
  )
}

/** Reserves its space until JavaScript runs. */
export function ScriptButton({
  look = 'primary',
  wide = false,
  describedBy,
  busy,
  onPress,
  children,
}: Look & { busy: boolean; onPress: () => void }) {
  const hydrated = useHydrated()
  return (
    <button
      type="button"
      aria-describedby={describedBy}
      aria-disabled={busy || undefined}
      onClick={busy ? undefined : onPress}
      className={`${base} ${looks[look]} ${wide ? 'w-full' : ''} ${hydrated ? '' : 'invisible noscript:hidden'}`}
    >
      {busy && <Spinner />}
      {children}
    </button>
  )
}

type ButtonLinkProps = Look & {
  to: string
  /** Needed where the target is not a page. */
  reloadDocument?: boolean
}

export function ButtonLink({
  to,
  look = 'primary',
  wide = false,
  describedBy,
  reloadDocument = false,
  children,
}: ButtonLinkProps) {
  return (
    <Link
      to={to}
      reloadDocument={reloadDocument}
      aria-describedby={describedBy}
      className={`${base} ${looks[look]} ${wide ? 'w-full' : ''}`}
    >
      {children}
    </Link>
  )
}
