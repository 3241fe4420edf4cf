/** The initials of the name. The text beside it says the name. */
export function Avatar({ name }: { name: string }) {
  return (
    <span
      aria-hidden="true"
      className="grid size-9 shrink-0 place-content-center rounded-full border border-transparent bg-accent-soft text-sm font-semibold text-accent"
    >
      {initialsOf(name)}
    </span>
  )
}

/** The first letters of the first and the last word. */
function initialsOf(name: string): string {
  const words = name.split(/[\s-]+/).filter((word) => /^[\p{L}\p{N}]/u.test(word))
  const chosen = words.length > 1 ? [words[0], words.at(-1)] : words
  return chosen.map((word = '') => [...word][0]?.toLocaleUpperCase()).join('') || '?'
}
