import { useCallback, useEffect, useRef, useState } from 'react'
import { PasswordField } from '#app/components/password-field.tsx'
import type { PasswordVerdict } from '#app/form-result.ts'
import { useText } from '#app/text.ts'

const pause = 400

type NewPasswordFieldProps = { name?: string; label: string; shortest: number; autoFocus?: boolean }

/**
 * Where a password is chosen. `shortest` comes from a loader: importing the rule would bring its whole library to the browser. With
 * JavaScript the service says, after a pause in the typing, whether it will take the password.
 */
export function NewPasswordField({ name = 'newPassword', label, shortest, autoFocus = false }: NewPasswordFieldProps) {
  const text = useText('newPassword')
  const [verdict, ask] = useVerdict()
  const frame = useRef<HTMLDivElement>(null)

  // A password manager, or a quick person, may be done before the page's scripts are.
  useEffect(() => {
    const box = frame.current?.querySelector('input')
    if (!box) return
    if (box.value) ask(box)
    // Told before the boxes are empty.
    const emptied = () => queueMicrotask(() => ask(box))
    box.form?.addEventListener('reset', emptied)
    return () => box.form?.removeEventListener('reset', emptied)
  }, [ask])

  return (
    <div ref={frame} className="grid gap-1.5">
      <PasswordField
        name={name}
        label={label}
        hint={text.hint(shortest)}
        autoComplete="new-password"
        autoFocus={autoFocus}
        onInput={(event) => ask(event.currentTarget)}
      />
      <p role="status" className={`min-h-5 text-sm noscript:hidden ${verdict?.accepted ? 'text-success' : 'text-ink-soft'}`}>
        {verdict?.sentence}
      </p>
    </div>
  )
}

/** The service's word on what stands in the box. It travels in a body; no answer (no network, too many questions) is no word. */
function useVerdict() {
  const [verdict, setVerdict] = useState<PasswordVerdict | null>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>()
  const request = useRef<AbortController>()

  const ask = useCallback((box: HTMLInputElement) => {
    clearTimeout(timer.current)
    request.current?.abort()
    const question = async () => {
      const attempt = new AbortController()
      request.current = attempt
      try {
        const body = new URLSearchParams({ password: box.value })
        for (const [name, value] of new FormData(box.form ?? undefined)) {
          if (name !== 'password' && ['name', 'email', 'token'].includes(name) && typeof value === 'string') body.set(name, value)
        }
        const response = await fetch('/password-strength', { method: 'POST', body, signal: attempt.signal })
        setVerdict(response.ok ? await response.json() : null)
      } catch {
        if (!attempt.signal.aborted) setVerdict(null)
      }
    }
    // The last answer was for the previous text.
    setVerdict(null)
    if (box.value !== '') timer.current = setTimeout(question, pause)
  }, [])
  useEffect(
    () => () => {
      clearTimeout(timer.current)
      request.current?.abort()
    },
    [],
  )
  return [verdict, ask] as const
}
