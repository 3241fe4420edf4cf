import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '@floorpass/db'
import { ask, type Target } from './person.ts'

export const eventKey = randomBytes(32).toString('base64url')

type ReadEvent = { id: string; type: string; data: { userId?: string; sessionId?: string } }

export function createEventReader(target: Target) {
  const events: ReadEvent[] = []
  const problems: string[] = []
  let cursor: string | null = null
  let isRunning = false
  let work: Promise<void> = Promise.resolve()

  async function readPage(wait: number): Promise<boolean> {
    const query = new URLSearchParams({ limit: '500', wait: String(wait), ...(cursor !== null && { after: cursor }) })
    const { status, body, text } = await ask(target, 'GET', `/auth/events?${query}`, {
      headers: { authorization: `Bearer ${eventKey}` },
    })
    if (status === 503) throw new Error(String(status))
    if (status !== 200) {
      problems.push(`the feed answered ${status}: ${text.slice(0, 200)}`)
      throw new Error(String(status))
    }
    const page = body as unknown as { events: ReadEvent[]; cursor: string; caughtUp: boolean }
    events.push(...page.events)
    cursor = page.cursor
    return page.caughtUp
  }

  return {
    events,
    problems,
    start(): void {
      isRunning = true
      work = (async () => {
        while (isRunning) await readPage(2).catch(() => delay(20))
      })()
    },
    async stop(): Promise<void> {
      isRunning = false
      await work
    },
    async readRest(): Promise<void> {
      while (!(await readPage(0)));
    },
  }
}

/** Lists entries of the activity that the feed lacks, repeats or has in another order. */
export async function findEventProblems(db: Database, events: readonly ReadEvent[]): Promise<string[]> {
  const entries = await db.auditEvent.findMany({ orderBy: { id: 'asc' }, select: { userId: true, action: true } })
  const recorded = Map.groupBy(entries, ({ userId }) => userId)
  const read = Map.groupBy(
    events.filter(({ type }) => type.startsWith('activity.')),
    ({ data }) => data.userId ?? '',
  )
  const problems = [...new Set([...recorded.keys(), ...read.keys()])].flatMap((userId) => {
    const [expected, found] = [
      (recorded.get(userId) ?? []).map(({ action }) => `activity.${action}`),
      (read.get(userId) ?? []).map(({ type }) => type),
    ]
    return expected.join() === found.join() ? [] : [`events of ${userId}: ${found.join()} instead of ${expected.join()}`]
  })
  const positions = events.map(({ id }) => Number(id.slice(4, 20)))
  const gap = positions.findIndex((position, index) => index > 0 && position !== (positions[index - 1] ?? 0) + 1)
  if (gap !== -1) problems.push(`the feed has ${positions[gap]} after ${positions[gap - 1]}`)
  return problems
}
