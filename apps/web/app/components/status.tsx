/** A state in words, with a mark that does not rest on colour alone: full is good, hollow is not (yet). */
export function Status({ good, children }: { good: boolean; children: string }) {
  return (
    <span
      className={`inline-flex items-center gap-1.5 rounded-full px-2.5 py-0.5 text-sm font-medium ${good ? 'bg-success-soft text-success' : 'bg-sunken text-ink-soft'}`}
    >
      <svg viewBox="0 0 10 10" width="8" height="8" aria-hidden="true">
        <circle cx="5" cy="5" r="4" stroke="currentColor" strokeWidth="1.5" fill={good ? 'currentColor' : 'none'} />
      </svg>
      {children}
    </span>
  )
}
