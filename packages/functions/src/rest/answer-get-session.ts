import { type Api, toAppError } from '@floorpass/api'
import { type Answer, errorAnswer, jsonAnswer } from '../http/respond.ts'

/** GET /auth/get-session, for the edge and for the fast path (ADR 022). */
export async function answerGetSession(api: Api): Promise<Answer> {
  try {
    return jsonAnswer(await api.sessions.get())
  } catch (thrown) {
    return errorAnswer(toAppError(thrown))
  }
}
