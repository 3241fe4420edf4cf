import { useBlocker, useLocation } from '@remix-run/react'
import { useEffect, useRef, useState } from 'react'
import { useText } from '#app/text.ts'

const look = 'min-h-11 rounded-md px-4 font-semibold'

/** Holds back a link or a form while the device is offline, so that the page and everything typed in it stay, and sends it again on demand. */
export function OfflineNotice() {
  const text = useText('root')
  const link = useBlocker(() => !navigator.onLine)
  const form = useHeldForm()
  const before = useRef<HTMLElement | null>(null)
  if (link.state !== 'blocked' && !form.held) return null
  const stay = () => {
    form.reset()
    link.reset?.()
    before.current?.focus()
    before.current = null
  }
  // Even where the browser still says offline: it may not know, and the service may be on this very machine.
  const goOn = () => {
    if (link.state === 'blocked') link.proceed()
    else form.proceed()
  }
  return (
    <div
      role="alert"
      // Where the person was, to go back to: the buttons here are gone once they are pressed.
      onFocus={({ relatedTarget, currentTarget }) => {
        if (relatedTarget instanceof HTMLElement && !currentTarget.contains(relatedTarget)) before.current = relatedTarget
      }}
      className="fixed inset-x-3 bottom-3 z-10 mx-auto grid max-w-xl gap-3 rounded-lg border border-line-strong bg-surface p-5 shadow-lg"
    >
      <p className="font-semibold">{text.offline.title}</p>
      <p className="text-ink-soft">{text.offline.body}</p>
      <div className="flex flex-wrap gap-3">
        <button type="button" onClick={goOn} className={`${look} bg-accent text-on-accent hover:bg-accent-strong`}>
          {text.again}
        </button>
        <button type="button" onClick={stay} className={`${look} text-ink-soft hover:bg-sunken hover:text-ink`}>
          {text.stay}
        </button>
      </div>
    </div>
  )
}

/** The router sees no form whose answer is a new document, so each is caught before it is anybody's. */
function useHeldForm() {
  const [held, setHeld] = useState<{ form: HTMLFormElement; button: HTMLElement | null } | null>(null)
  const goesOn = useRef(false)
  const { pathname } = useLocation()
  // It belongs to the page that was left.
  useEffect(() => setHeld(null), [pathname])
  useEffect(() => {
    const hold = (event: SubmitEvent) => {
      // Whatever is sent now stands for what was held.
      if (navigator.onLine || goesOn.current) return setHeld(null)
      if (!(event.target instanceof HTMLFormElement)) return
      event.preventDefault()
      event.stopPropagation()
      setHeld({ form: event.target, button: event.submitter })
    }
    window.addEventListener('submit', hold, { capture: true })
    return () => window.removeEventListener('submit', hold, { capture: true })
  }, [])
  const proceed = () => {
    setHeld(null)
    if (!held?.form.isConnected) return
    goesOn.current = true
    try {
      held.form.requestSubmit(held.button?.isConnected ? held.button : null)
    } finally {
      goesOn.current = false
    }
  }
  return { held: held !== null, proceed, reset: () => setHeld(null) }
}
