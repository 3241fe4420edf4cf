import { useLocation } from '@remix-run/react'
import { type ComponentProps, type FormEvent, type ReactNode, useId, useRef, useState } from 'react'
import { SubmitButton } from '#app/components/button.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import { useText } from '#app/text.ts'

type ConfirmButtonProps = {
  /** Names the question in the address, where scripts do not run: `?confirm=<name>`. Unique on its page. */
  name: string
  label: string
  /** Which one, where a page has several: screen readers read it after the label. */
  of?: string
  title: string
  lead: string
  /** The button that acts: it names the act and its object. Its words differ from `label`. */
  confirm: string
  form: Omit<ComponentProps<typeof PageForm>, 'children' | 'className'>
  look?: 'primary' | 'secondary' | 'danger'
  wide?: boolean
  /** Hidden fields of the form, and boxes to fill in. */
  children?: ReactNode
}

/** Whether the page is loaded with this question open. */
export const useIsConfirming = (name: string): boolean => new URLSearchParams(useLocation().search).get('confirm') === name

/**
 * A button for an act that cannot be undone: it asks before its form is sent. With JavaScript the question is a modal dialog.
 * Without JavaScript the button loads the page again, with the question open below it.
 */
export function ConfirmButton({
  name,
  label,
  of,
  title,
  lead,
  confirm,
  form,
  look = 'secondary',
  wide = false,
  children,
}: ConfirmButtonProps) {
  const text = useText('confirm')
  const id = useId()
  const search = new URLSearchParams(useLocation().search)
  const isConfirming = useIsConfirming(name)
  const dialog = useRef<HTMLDialogElement>(null)
  // Only at first: afterwards the dialog opens and closes itself.
  const [isOpen] = useState(isConfirming || form.failure !== undefined)

  function ask(event: FormEvent): void {
    event.preventDefault()
    dialog.current?.close()
    dialog.current?.showModal()
    // The box to fill in, or else the button that changes nothing.
    dialog.current?.querySelector<HTMLElement>('input:not([type="hidden"]), [method="dialog"] button')?.focus()
  }

  return (
    <>
      <form method="get" onSubmit={ask}>
        {[...search].map(
          ([key, value]) => key !== 'confirm' && key !== 'notice' && <input key={key} type="hidden" name={key} value={value} />,
        )}
        <input type="hidden" name="confirm" value={name} />
        <SubmitButton look={look} wide={wide}>
          {label}
          {of !== undefined && <span className="sr-only">{of}</span>}
        </SubmitButton>
      </form>
      <dialog
        ref={dialog}
        open={isOpen}
        aria-labelledby={`${id}-title`}
        aria-describedby={`${id}-lead`}
        // PageForm resets itself when what it sent was taken.
        onReset={() => dialog.current?.close()}
        className="col-span-full m-auto w-[calc(100%-2rem)] max-w-md gap-5 rounded-xl border border-line-strong bg-surface p-5 text-left wrap-anywhere text-ink shadow-lift backdrop:bg-panel/60 open:grid [&:not(:modal)]:static [&:not(:modal)]:m-0 [&:not(:modal)]:w-full sm:p-7"
      >
        <div className="grid gap-2">
          <h3
            id={`${id}-title`}
            tabIndex={isOpen ? -1 : undefined}
            // biome-ignore lint/a11y/noAutofocus: without JavaScript the person must land on the question
            autoFocus={isOpen && !form.failure}
            className="text-lg font-semibold"
          >
            {title}
          </h3>
          <p id={`${id}-lead`} className="text-pretty text-ink-soft">
            {lead}
          </p>
        </div>
        <PageForm {...form}>
          {children}
          <SubmitButton look="danger" wide>
            {confirm}
          </SubmitButton>
        </PageForm>
        <form method="dialog">
          <SubmitButton look="secondary" wide>
            {text.back}
          </SubmitButton>
        </form>
      </dialog>
    </>
  )
}
