import { Form, useFormAction, useNavigation } from '@remix-run/react'
import { createContext, type ReactNode, useContext, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { FormErrors } from '#app/components/form-errors.tsx'
import type { FormFailure, PageError } from '#app/form-result.ts'
import { useText } from '#app/text.ts'

type FormState = {
  pending: boolean
  fields: Record<string, string>
  typed: Record<string, string>
  /** Shows a failure of the browser, until the form is sent. */
  setBrowserError: (error: PageError | null) => void
}

const FormStateContext = createContext<FormState>({ pending: false, fields: {}, typed: {}, setBrowserError: () => {} })

/** Whether the form around is being sent, and what came back for its fields. */
export const useFormState = () => useContext(FormStateContext)

const longestLeave = 10_000

type PageFormProps = {
  id?: string
  action: string
  /** Tells apart two forms that post to the same action. */
  intent?: string
  failure?: FormFailure | undefined
  /** Shown with the failure: what else the person can do. A button in it may belong to another form. */
  remedy?: ReactNode
  /** Needed where the answer must come as a whole new document. */
  reloadDocument?: boolean
  /** `multipart/form-data` where the form has a file. */
  encType?: 'application/x-www-form-urlencoded' | 'multipart/form-data'
  className?: string
  children: ReactNode
}

/** A form that works without JavaScript; with it, it is sent once at a time and focus goes to the first thing to correct. */
export function PageForm({
  id,
  action,
  intent,
  failure,
  remedy,
  reloadDocument = false,
  encType = 'application/x-www-form-urlencoded',
  className,
  children,
}: PageFormProps) {
  const text = useText('form')
  const form = useRef<HTMLFormElement>(null)
  const navigation = useNavigation()
  const target = useFormAction(action)
  const mine = intent === undefined || navigation.formData?.get('intent') === intent
  const [leaving, setLeaving] = useState(false)
  // A refusal shows before the page has read its data again, and can be answered from then on.
  const earlier = useRef(failure)
  const isRefused = failure !== undefined && failure !== earlier.current
  const sending = navigation.formMethod === 'POST' && navigation.formAction === target && mine && !isRefused
  const pending = sending || leaving
  const [browserError, setBrowserError] = useState<PageError | null>(null)
  const error = browserError ?? failure?.error

  // Sending any form makes the browser's last error obsolete.
  useEffect(() => {
    if (navigation.formMethod === 'POST') setBrowserError(null)
  }, [navigation.formMethod])

  // What was taken does not stay in the boxes: a password least of all.
  const wasSending = useRef(false)
  const settled = navigation.state === 'idle'
  useLayoutEffect(() => {
    // Another form, or a link, may have cut it short: then nothing was taken.
    if (wasSending.current && !sending && settled && !error) form.current?.reset()
    wasSending.current = sending
  }, [sending, settled, error])

  // What is pressed twice in one moment has not been drawn as pending between.
  const sent = useRef(false)
  useLayoutEffect(() => {
    if (!pending) sent.current = false
  })

  // The browser says nothing when the person stops it on its way to the new document.
  useEffect(() => {
    if (!leaving) return
    const timer = setTimeout(() => setLeaving(false), longestLeave)
    return () => clearTimeout(timer)
  }, [leaving])

  useEffect(() => {
    const find = (selector: string) => form.current?.querySelector<HTMLElement>(selector)
    if (error) (find('[aria-invalid="true"]') ?? find('[data-form-errors]'))?.focus()
  }, [error])

  return (
    <FormStateContext.Provider value={{ pending, fields: error?.fields ?? {}, typed: failure?.typed ?? {}, setBrowserError }}>
      <Form
        ref={form}
        id={id}
        method="post"
        action={action}
        encType={encType}
        reloadDocument={reloadDocument}
        noValidate
        aria-busy={pending || undefined}
        className={className ?? 'grid gap-5'}
        onSubmit={(event) => {
          if (pending || sent.current) event.preventDefault()
          else if (reloadDocument) setLeaving(true)
          sent.current = true
          earlier.current = failure
          setBrowserError(null)
        }}
      >
        {intent !== undefined && <input type="hidden" name="intent" value={intent} />}
        {error && <FormErrors error={error} remedy={remedy} />}
        {children}
        <p role="status" className="sr-only">
          {pending ? text.sending : ''}
        </p>
      </Form>
    </FormStateContext.Provider>
  )
}
