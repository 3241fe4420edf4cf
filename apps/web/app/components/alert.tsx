import { type ReactNode, useEffect, useRef } from 'react'

const looks = {
  info: 'border-accent bg-accent-soft',
  success: 'border-success bg-success-soft',
  danger: 'border-danger bg-danger-soft',
} as const

type AlertProps = {
  look?: keyof typeof looks
  /** The answer that it reports. Each new answer takes the focus, also one with the same words. */
  landing?: object | undefined
  children: ReactNode
}

/** A message in the page. Success and information are announced politely; failures go through FormErrors. */
export function Alert({ look = 'info', landing, children }: AlertProps) {
  const box = useRef<HTMLDivElement>(null)

  useEffect(() => {
    if (landing) box.current?.focus()
  }, [landing])

  return (
    <div
      ref={box}
      role="status"
      tabIndex={landing && -1}
      // biome-ignore lint/a11y/noAutofocus: without JavaScript the browser does it
      autoFocus={landing !== undefined}
      className={`grid gap-3 rounded-md border-l-4 px-4 py-3 ${looks[look]}`}
    >
      {children}
    </div>
  )
}
