import { Field } from '#app/components/field.tsx'
import { useText } from '#app/text.ts'

const digits = 6

type CodeFieldProps = {
  /** Sends the form with the sixth digit: only where the code is all that it asks for. */
  sends?: boolean
  autoFocus?: boolean
}

/** Where a code of an authenticator is typed, pasted, or filled in by the device. One field, drawn as six boxes. */
export function CodeField({ sends = false, autoFocus = false }: CodeFieldProps) {
  const text = useText('codeField')
  return (
    <Field
      name="code"
      label={text.label}
      hint={
        <>
          {text.hint} {sends && <span className="noscript:hidden">{text.sends}</span>}
        </>
      }
      look="digit-boxes"
      autoComplete="one-time-code"
      inputMode="numeric"
      autoFocus={autoFocus}
      // Without JavaScript, a code that is pasted with its spaces must fit.
      maxLength={16}
      onInput={({ currentTarget: field }) => {
        const code = field.value.replace(/\D/g, '').slice(0, digits)
        if (field.value !== code) field.value = code
        if (sends && code.length === digits) field.form?.requestSubmit()
      }}
    />
  )
}

export function BackupCodeField({ autoFocus = false }: { autoFocus?: boolean }) {
  const text = useText('codeField')
  return (
    <Field name="code" label={text.backupLabel} hint={text.backupHint} autoComplete="off" maxLength={64} autoFocus={autoFocus} />
  )
}
