import type { ClientActionFunctionArgs } from '@remix-run/react'
import { isConnectionLost } from '#app/connection.ts'
import type { FormFailure } from '#app/form-result.ts'
import { documentLocale, textIn } from '#app/text.ts'

/**
 * Sends a form; what never reached the service comes back to it as a failure, and everything typed stays. The status keeps the page's
 * loaders from being asked too, which would fail the same way and take the page with them.
 */
export async function clientAction({ request, serverAction }: ClientActionFunctionArgs): Promise<unknown> {
  const sent = request.clone()
  try {
    return await serverAction()
  } catch (error) {
    if (!isConnectionLost(error)) throw error
    const intent = (await sent.formData()).get('intent')
    const { body } = textIn(documentLocale()).root.offline
    const failure: FormFailure = {
      error: { key: 'CONNECTION_LOST', message: body, fields: {}, retryAfter: null },
      typed: typeof intent === 'string' ? { intent } : {},
    }
    return Response.json(failure, { status: 503 })
  }
}
