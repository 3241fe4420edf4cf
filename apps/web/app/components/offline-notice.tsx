import { useBlocker } from '@remix-run/react'
import { useText } from '#app/text.ts'

const look = 'min-h-11 rounded-md px-4 font-semibold'

/** Holds back a link or a form while the device is offline, so that the page and everything typed in it stay, and sends it again on demand. */
export function OfflineNotice() {
  const text = useText('root')
  const blocker = useBlocker(() => !navigator.onLine)
  if (blocker.state !== 'blocked') return null
  return (
    <div
      role="alert"
      className="fixed inset-x-3 bottom-3 z-10 mx-auto grid max-w-xl gap-3 rounded-lg border border-line-strong bg-surface p-5 shadow-lg"
    >
      <p className="font-semibold">{text.offline.title}</p>
      <p className="text-ink-soft">{text.offline.body}</p>
      <div className="flex flex-wrap gap-3">
        <button
          type="button"
          onClick={() => navigator.onLine && blocker.proceed()}
          className={`${look} bg-accent text-on-accent hover:bg-accent-strong`}
        >
          {text.again}
        </button>
        <button type="button" onClick={() => blocker.reset()} className={`${look} text-ink-soft hover:bg-sunken hover:text-ink`}>
          {text.stay}
        </button>
      </div>
    </div>
  )
}
