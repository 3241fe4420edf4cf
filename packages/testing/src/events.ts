import type { Answer } from './browser.ts'
import type { TestApp } from './create-test-app.ts'
import { serviceKey } from './route-samples.ts'

export type FeedEvent = { id: string; type: string; timestamp: string; data: Record<string, unknown> }
export type EventPage = { events: FeedEvent[]; cursor: string; caughtUp: boolean }

/** Asks for events as another service. */
export const askForEvents = (app: Pick<TestApp, 'browser'>, parameters: Record<string, string> = {}): Promise<Answer> =>
  app
    .browser({ origin: null })
    .get(`/auth/events?${new URLSearchParams(parameters)}`, { headers: { authorization: `Bearer ${serviceKey}` } })

export async function readFeed(app: Pick<TestApp, 'browser'>, parameters: Record<string, string> = {}): Promise<EventPage> {
  const answer = await askForEvents(app, parameters)
  if (answer.status !== 200) throw new Error(`the feed answered ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body as EventPage
}

/** The cursor of the newest event. Read after it to see only the events of the test. */
export const endOfFeed = async (app: Pick<TestApp, 'browser'>): Promise<string> => {
  const now = new Date(Date.now() + 3_600_000).toISOString()
  return (await readFeed(app, { since: now, limit: '1' })).cursor
}

/** All events after a cursor, from all pages. */
export async function readAllAfter(app: Pick<TestApp, 'browser'>, cursor: string, types?: string): Promise<FeedEvent[]> {
  const page = await readFeed(app, { after: cursor, limit: '500', ...(types !== undefined && { types }) })
  return page.caughtUp ? page.events : [...page.events, ...(await readAllAfter(app, page.cursor, types))]
}
