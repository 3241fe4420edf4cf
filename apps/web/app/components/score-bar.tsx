/** A part of a hundred as a bar. The number stands beside it in words, so the bar is for the eye alone. */
export function ScoreBar({ score }: { score: number }) {
  return (
    <svg
      viewBox="0 0 100 4"
      preserveAspectRatio="none"
      aria-hidden="true"
      className="h-2 w-full rounded-full bg-sunken text-accent"
    >
      <rect width={score} height="4" fill="currentColor" />
    </svg>
  )
}
