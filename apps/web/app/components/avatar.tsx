import { useState } from 'react'

type AvatarProps = {
  name: string
  picture: string | null
  large?: boolean
}

/** The picture, or the initials of the name, which also stand behind a picture that fails to load. The text beside it says the name. */
export function Avatar({ name, picture, large = false }: AvatarProps) {
  const [failed, setFailed] = useState<string | null>(null)
  return (
    <span
      aria-hidden="true"
      className={`relative grid shrink-0 place-content-center overflow-hidden rounded-full border border-transparent bg-accent-soft font-semibold text-accent ${large ? 'size-24 text-3xl' : 'size-9 text-sm'}`}
    >
      {initialsOf(name)}
      {picture !== null && picture !== failed && (
        <img
          key={picture}
          src={picture}
          alt=""
          width="256"
          height="256"
          className="absolute inset-0 size-full"
          // Some browsers draw a sign for a picture that failed. It may fail before the scripts come.
          ref={(image) => {
            if (image?.complete && image.naturalWidth === 0) setFailed(picture)
          }}
          onError={() => setFailed(picture)}
        />
      )}
    </span>
  )
}

/** The first letters of the first and the last word. */
function initialsOf(name: string): string {
  const words = name.split(/[\s-]+/).filter((word) => /^[\p{L}\p{N}]/u.test(word))
  const chosen = words.length > 1 ? [words[0], words.at(-1)] : words
  return chosen.map((word = '') => [...word][0]?.toLocaleUpperCase()).join('') || '?'
}
