/** A state in words, with a mark that does not rest on colour alone: full is good, hollow is not (yet). */
export function Status({ good, children }: { good: boolean; children: string }) {
  return (
    <span className={`inline-flex items-center gap-2 ${good ? 'text-success' : 'text-ink-soft'}`}>
      <svg viewBox="0 0 10 10" width="10" height="10" aria-hidden="true">
        <circle cx="5" cy="5" r="4" stroke="currentColor" strokeWidth="1.5" fill={good ? 'currentColor' : 'none'} />
      </svg>
      {children}
    </span>
  )
}
