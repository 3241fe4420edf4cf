import { Link } from '@remix-run/react'
import { useFrame } from '#app/use-frame.ts'

export function Brand({ className = 'text-ink' }: { className?: string }) {
  const { appName, logo } = useFrame() ?? {}
  return (
    <Link to="/" className={`inline-flex items-center gap-2.5 text-lg font-semibold tracking-tight ${className}`}>
      {logo ? (
        <img
          {...logo}
          alt={logo.alt}
          className="h-9 w-auto min-w-0 max-w-full object-contain rounded-md bg-white p-1 forced-color-adjust-none"
        />
      ) : (
        <svg viewBox="0 0 32 32" width="28" height="28" aria-hidden="true">
          <rect width="32" height="32" rx="7" className="fill-mark" />
          <path d="M7 23v-5h6v-6h6V7h6" fill="none" stroke="#fff" strokeWidth="3" strokeLinecap="square" />
        </svg>
      )}
      {!logo?.alt && appName}
    </Link>
  )
}
