import { useContext, useState } from 'react'
import { exactWords, relativeWords } from '#app/moment-words.ts'
import { LocaleContext } from '#app/text.ts'
import { useNow } from '#app/use-now.ts'

/** A moment, and its words in UTC for a page without JavaScript. `momentText` makes it. */
export type MomentWords = { iso: string; words: string }

const isExact =
  'group-hover:h-auto group-hover:visible group-focus-visible:h-auto group-focus-visible:visible group-data-pinned:h-auto group-data-pinned:visible'
const isRelative = 'group-hover:invisible group-focus-visible:invisible group-data-pinned:invisible'

/**
 * A past moment: in UTC without JavaScript, else how long ago it was. The exact time takes its place on hover, focus and press. Both
 * share one cell, so nothing moves.
 */
export function Moment({ iso, words }: MomentWords) {
  const now = useNow()
  const locale = useContext(LocaleContext)
  const [isPinned, setPinned] = useState(false)
  const look = 'inline-block min-h-6 align-top'
  if (now === null)
    return (
      <time dateTime={iso} className={look}>
        {words}
      </time>
    )
  const relative = relativeWords(iso, now, locale)
  const exact = exactWords(iso, locale)
  return (
    <time dateTime={iso} className={look}>
      <button
        type="button"
        aria-label={`${relative}, ${exact}`}
        data-pinned={isPinned || undefined}
        onClick={() => setPinned(!isPinned)}
        onBlur={() => setPinned(false)}
        className="group grid min-h-6 rounded-xs text-left underline decoration-line-strong decoration-dotted underline-offset-3 select-text"
      >
        <span className={`col-start-1 row-start-1 ${isRelative}`}>{relative}</span>
        <span className={`invisible col-start-1 row-start-1 h-0 ${isExact}`}>{exact}</span>
      </button>
    </time>
  )
}

/** A moment where only the date makes sense, as after "until": in UTC without JavaScript, else in the person's zone. */
export function ExactMoment({ iso, words }: MomentWords) {
  const now = useNow()
  const locale = useContext(LocaleContext)
  return <time dateTime={iso}>{now === null ? words : exactWords(iso, locale)}</time>
}
