import { Alert } from '#app/components/alert.tsx'
import { FormErrors } from '#app/components/form-errors.tsx'
import { reauthenticateLink } from '#app/components/reauthentication-gate.tsx'
import type { FormResult } from '#app/form-result.ts'

type ResultAlertProps = {
  result: FormResult
  /** Of the forms that the page shows. The form that was sent may be gone by now: then the failure stands here. */
  intents: readonly string[]
}

/** What the last form of the page did. A failure stands at its own form, while the page still has it. */
export function ResultAlert({ result, intents }: ResultAlertProps) {
  if (!result) return null
  if (!result.error)
    return (
      <Alert look="success" landing={result}>
        {result.done}
      </Alert>
    )
  if (intents.includes(result.typed.intent ?? '')) return null
  return <FormErrors error={{ ...result.error, fields: {} }} remedy={reauthenticateLink(result.error)} />
}
