import type { ClientActionFunctionArgs } from '@remix-run/react'
import { isConnectionLost } from '#app/connection.ts'
import type { FormFailure } from '#app/form-result.ts'
import { documentLocale, textIn } from '#app/text.ts'

/** What pages read back of a failed form to draw themselves again. Never a password. */
const kept = new Set(['intent', 'token', 'email'])

/**
 * Sends a form; what got no answer of the service comes back to it as a failure, and everything typed stays. The status keeps the page's
 * loaders from being asked too, which would fail the same way and take the page with them.
 */
export async function clientAction({ request, serverAction }: ClientActionFunctionArgs): Promise<unknown> {
  const sent = request.clone()
  try {
    return await serverAction()
  } catch (error) {
    if (!isConnectionLost(error)) throw error
    const form = await sent.formData()
    const typed = Object.fromEntries([...form].filter(([name, value]) => kept.has(name) && typeof value === 'string')) as Record<
      string,
      string
    >
    const { unanswered: message } = textIn(documentLocale()).root
    const failure: FormFailure = {
      error: { key: 'CONNECTION_LOST', message, fields: {}, retryAfter: null },
      typed,
    }
    return Response.json(failure, { status: 503 })
  }
}
