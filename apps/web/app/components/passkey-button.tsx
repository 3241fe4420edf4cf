import { useLocation, useNavigate } from '@remix-run/react'
import { type ComponentProps, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { ScriptButton } from '#app/components/button.tsx'
import { useFormState } from '#app/components/page-form.tsx'
import type { Ceremony, CeremonyResult, PasskeyProblem } from '#app/passkey.client.ts'
import { withTarget } from '#app/redirect-target.ts'
import { useText } from '#app/text.ts'

/** The page comes first: autofill needs more scripts and a challenge. */
const autofillDelay = 1000

type PasskeyButtonProps = Pick<ComponentProps<typeof ScriptButton>, 'look' | 'wide' | 'describedBy' | 'children'> & {
  ceremony: Ceremony
  /** The token of an emailed link that stands for a session. */
  link?: string
  /** What a confirmation signs. */
  given?: unknown
  /** Also offers passkeys in the autofill list of the field with `webauthn`. */
  autofill?: boolean
  /** The page that asks a person who signed in too long ago, with what it requires. */
  reauthenticatePath?: string
  /** What the person can do without JavaScript. */
  fallback: string
  /** What else can go wrong: texts that only some pages load. */
  problems?: Partial<Record<PasskeyProblem, string>>
}

/** Asks the browser for a passkey and sends the form around it, with the answer in the field `passkey`. */
export function PasskeyButton({
  ceremony,
  link,
  given,
  autofill = false,
  reauthenticatePath = '/reauthenticate',
  fallback,
  problems,
  children,
  ...look
}: PasskeyButtonProps) {
  const text = useText('passkeyButton')
  const { pathname } = useLocation()
  const navigate = useNavigate()
  const { pending, setBrowserError } = useFormState()
  const field = useRef<HTMLInputElement>(null)
  const [phase, setPhase] = useState<'idle' | 'pressed' | 'sent'>('idle')

  const wasPending = useRef(false)
  useLayoutEffect(() => {
    if (wasPending.current && !pending) setPhase('idle')
    wasPending.current = pending
  }, [pending])

  const receive = (result: CeremonyResult) => {
    if ('answer' in result) {
      setPhase('sent')
      if (field.current) field.current.value = result.answer
      field.current?.form?.requestSubmit()
      return
    }
    setPhase('idle')
    // The autofill list closed: the person may still use another way.
    if (phase !== 'pressed') return
    if (result.problem === 'stale') navigate(withTarget(reauthenticatePath, pathname))
    else {
      const messages: Partial<Record<PasskeyProblem, string>> = { ...text.problems, ...problems }
      const message = messages[result.problem] ?? text.problems.failed
      setBrowserError({ key: result.problem, message, fields: {}, retryAfter: null })
    }
  }
  const latestReceive = useRef(receive)
  // A new render of the page must not interrupt the ceremony.
  const latestGiven = useRef(given)
  useLayoutEffect(() => {
    latestReceive.current = receive
    latestGiven.current = given
  })

  const running = phase === 'pressed' ? 'pressed' : autofill && phase === 'idle' && !pending ? 'autofill' : null
  useEffect(() => {
    if (running === null) return
    const controller = new AbortController()
    const { signal } = controller
    const begin = async () => {
      try {
        const { runCeremony, offerInAutofill } = await import('#app/passkey.client.ts')
        const use = running === 'autofill' ? offerInAutofill : runCeremony
        await use({ ceremony, link, given: latestGiven.current, signal }, (result) => latestReceive.current(result))
      } catch {
        if (!signal.aborted) latestReceive.current({ problem: 'failed' })
      }
    }
    const timer = setTimeout(begin, running === 'autofill' ? autofillDelay : 0)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [ceremony, link, running])

  return (
    <>
      <input ref={field} type="hidden" name="passkey" />
      <ScriptButton
        {...look}
        busy={phase === 'pressed' || pending}
        onPress={() => {
          setBrowserError(null)
          setPhase('pressed')
        }}
      >
        {children}
      </ScriptButton>
      <p className="hidden text-sm text-ink-soft noscript:block">
        {text.needsScript} {fallback}
      </p>
      <p role="status" className="sr-only">
        {phase === 'pressed' ? text.waiting : ''}
      </p>
    </>
  )
}
