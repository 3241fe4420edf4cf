import { type Api, policy } from '@floorpass/api'
import { type Answer, jsonAnswer } from '../http/respond.ts'

/** GET /auth/jwks. Verifiers and proxies may keep the answer: the next key is published long before it signs. */
export async function answerJwks(api: Api): Promise<Answer> {
  const { headers, ...answer } = jsonAnswer(await api.access.getJwks())
  return { ...answer, headers: { ...headers, 'cache-control': `public, max-age=${policy.signingKeys.publicCache}` } }
}
