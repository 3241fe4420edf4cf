import { Link } from '@remix-run/react'

export function Brand({ name, className = 'text-ink' }: { name: string; className?: string }) {
  return (
    <Link to="/" className={`inline-flex items-center gap-2.5 text-lg font-semibold tracking-tight ${className}`}>
      <svg viewBox="0 0 32 32" width="28" height="28" aria-hidden="true">
        <rect width="32" height="32" rx="7" fill="#0b5674" />
        <path d="M7 23v-5h6v-6h6V7h6" fill="none" stroke="#fff" strokeWidth="3" strokeLinecap="square" />
      </svg>
      {name}
    </Link>
  )
}
