import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { createWebhookQueue, type EventType, type WebhookQueue } from '@floorpass/api'
import { createOperator, createWebhook, type WebhookSecrets } from '@floorpass/api/administration'
import { closeAfterFile } from './close-after-file.ts'
import type { TestApp } from './create-test-app.ts'

/** Webhooks of these services may lead to this machine, by http. */
export const privateTargets = { WEBHOOK_PRIVATE_TARGETS: 'on' }

export type Delivery = { path: string; headers: IncomingHttpHeaders; body: string }
type Respond = (response: ServerResponse, delivery: Delivery, request: IncomingMessage) => unknown

export type Receiver = {
  url: string
  received: Delivery[]
  /** How it answers from now on. Default: 204. */
  respond(respond: Respond): void
  /** The ids of what it received, in order. */
  ids(): string[]
}

const acknowledge: Respond = (response) => response.writeHead(204).end()

/** A service that gets webhooks. With a certificate: by https. Closes after the file. */
export async function startReceiver(tls?: { key: string; cert: string }): Promise<Receiver> {
  const received: Delivery[] = []
  let answer = acknowledge
  const listener: RequestListener = async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const delivery = { path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString() }
    received.push(delivery)
    await answer(response, delivery, request)
  }
  const server = tls ? createTlsServer(tls, listener) : createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closeAfterFile(async () => {
    server.close()
    server.closeAllConnections()
  })
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    respond(respond) {
      answer = respond
    },
    ids: () => received.map(({ headers }) => String(headers['webhook-id'])),
  }
}

type App = Pick<TestApp, 'service' | 'db'>
export type CreatedWebhook = WebhookSecrets & { id: string }

/** The only delivery of a webhook. */
export const deliveryOf = ({ db }: Pick<TestApp, 'db'>, webhookId: string) =>
  db.webhookDelivery.findFirstOrThrow({ where: { webhookId } })

export const addWebhook = (app: App, url: string, types: EventType[] = []): Promise<CreatedWebhook> =>
  createWebhook(createOperator(app.service.deps, 'grace'), { url, types, contact: 'ops@example.test', locale: 'en' })

type QueueOptions = Partial<Parameters<typeof createWebhookQueue>[0]>

/** The queue of another process on the same database. */
export const createQueue = ({ service }: Pick<TestApp, 'service'>, options: QueueOptions = {}): WebhookQueue =>
  createWebhookQueue({ ...service.deps, ...options })

/** Adds one event for each user, in this order, and queues them for the webhooks. Returns their ids. */
export async function addEvents({ service, db }: App, userIds: string[], type: EventType = 'session.ended'): Promise<string[]> {
  await service.deps.events.flush()
  const { position } = await db.eventFeed.findFirstOrThrow()
  await db.$executeRaw`
    INSERT INTO outbox_events (type, user_id, data)
    SELECT ${type}, user_id, '{"sessionId":"a-session"}'::jsonb
    FROM unnest(${userIds}::text[]) WITH ORDINALITY AS users (user_id, place) ORDER BY place`
  await service.deps.events.flush()
  const events = await db.event.findMany({ where: { position: { gt: position } }, orderBy: { position: 'asc' } })
  return events.map(({ id }) => id)
}
