import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { ask, cookiesOf, type Mailbox, newPerson, type Person, signIn, signUp, type Target } from './person.ts'

/** A person, and the writes for them that were acknowledged. */
export type WriteHistory = Person & { signedUp: boolean; verified: boolean; organizations: string[]; resetTo: string | null }

export const writerCount = 4

/** Writers that sign people up and change their accounts until the service is killed, and remember what it acknowledged. */
export function createWriters(target: Target, mailbox: Mailbox) {
  const histories: WriteHistory[] = []
  let requests = 0
  let isRunning = false
  let work: Promise<void>[] = []

  /** Writes for new people until a request fails, as after a kill. */
  const write = async () => {
    for (;;) {
      const history: WriteHistory = { ...newPerson('writer'), signedUp: false, verified: false, organizations: [], resetTo: null }
      histories.push(history)
      const post = async (path: string, body: unknown, cookie?: string) => {
        requests += 1
        const reply = await ask(target, 'POST', path, { body, cookie })
        if (reply.status !== 200) throw new Error(`${path}: ${reply.status}`)
        return reply
      }
      requests += 1
      if ((await signUp(target, history)).status !== 200) return
      history.signedUp = true
      await post('/auth/verify-email', { token: await waitForToken(history, 'verify-email') })
      history.verified = true
      requests += 1
      const cookie = cookiesOf(await signIn(target, history))
      for (let count = 0; count < 3; count += 1) {
        const slug = randomUUID()
        await post('/auth/organization/create', { name: 'Desk', slug }, cookie)
        history.organizations.push(slug)
      }
      await post('/auth/forget-password', { email: history.email })
      const newPassword = `${history.password} again`
      await post('/auth/reset-password', { token: await waitForToken(history, 'reset-password'), newPassword })
      history.resetTo = newPassword
    }
  }
  const waitForToken = async ({ email }: Person, page: string) => {
    while (isRunning) {
      const tokens = await mailbox.tokens(email, page)
      if (tokens.length > 0) return tokens.at(-1)
      await delay(20)
    }
    throw new Error('killed')
  }

  return {
    histories,
    requests: () => requests,
    acknowledged: () =>
      histories.reduce(
        (sum, { signedUp, verified, organizations, resetTo }) =>
          sum + Number(signedUp) + Number(verified) + organizations.length + Number(resetTo !== null),
        0,
      ),
    start(): void {
      isRunning = true
      // After a failure, such as a 503 during a slow start, a writer starts again with a new person.
      work = Array.from({ length: writerCount }, async () => {
        for (; isRunning; await delay(20)) await write().catch(() => {})
      })
    },
    async stop(): Promise<void> {
      isRunning = false
      await Promise.all(work)
    },
  }
}
