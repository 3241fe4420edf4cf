import { type EventType, eventTypes, type Settings } from '@floorpass/api'
import { dataSchemaOf } from '@floorpass/api/contracts'
import { z } from 'zod'

type Schema = Record<string, unknown>

const dataOf = (type: EventType): Schema => z.toJSONSchema(dataSchemaOf(type)) as Schema

const bodyOf = (type: EventType): Schema => ({
  type: 'object',
  required: ['type', 'timestamp', 'data'],
  properties: { type: { const: type }, timestamp: { type: 'string', format: 'date-time' }, data: dataOf(type) },
})

const text = (description: string) => ({ required: true, schema: { type: 'string' }, description })
const webhookHeaders = [
  { name: 'webhook-id', in: 'header', ...text('The id of the event, the same for every attempt') },
  { name: 'webhook-timestamp', in: 'header', ...text('Seconds since 1970. Refuse a request more than five minutes old') },
  { name: 'webhook-signature', in: 'header', ...text('Signatures `v1,…` and `v1a,…`, separated by spaces (Standard Webhooks)') },
]

export const openapiWebhooks = () =>
  Object.fromEntries(
    eventTypes.map((type) => [
      type,
      {
        post: {
          summary: String(dataOf(type).description),
          parameters: webhookHeaders,
          requestBody: { required: true, content: { 'application/json': { schema: bodyOf(type) } } },
          responses: {
            '2XX': { description: 'Delivered' },
            '410': { description: 'The webhook is paused' },
            default: { description: 'Retried for about three days' },
          },
        },
      },
    ]),
  )

export const asyncapiDocument = ({ appName, baseUrl }: Pick<Settings, 'appName' | 'baseUrl'>) => ({
  asyncapi: '3.0.0',
  info: { title: `${appName}: events`, version: '1', description: 'Changes of accounts, sessions and keys for other services.' },
  defaultContentType: 'application/json',
  servers: {
    service: {
      host: new URL(baseUrl).host,
      protocol: new URL(baseUrl).protocol.replace(':', ''),
      security: [{ $ref: '#/components/securitySchemes/service' }],
    },
  },
  channels: {
    events: {
      address: '/auth/events/stream',
      description: 'Server-Sent Events. `GET /auth/events` has the same events as pages.',
      messages: Object.fromEntries(['heartbeat', ...eventTypes].map((type) => [type, { $ref: `#/components/messages/${type}` }])),
    },
  },
  operations: {
    followEvents: { action: 'receive', channel: { $ref: '#/channels/events' }, summary: 'Follow the changes' },
  },
  components: {
    securitySchemes: {
      service: { type: 'http', scheme: 'bearer', description: 'The secret of a service, with the scope events:read' },
    },
    messages: {
      heartbeat: {
        name: 'heartbeat',
        summary: 'After each page, at least once a second',
        payload: {
          type: 'object',
          required: ['cursor', 'caughtUp'],
          properties: { cursor: { type: 'string' }, caughtUp: { type: 'boolean' } },
        },
      },
      ...Object.fromEntries(
        eventTypes.map((type) => [
          type,
          {
            name: type,
            summary: String(dataOf(type).description),
            payload: {
              ...bodyOf(type),
              required: ['id', 'type', 'timestamp', 'data'],
              properties: { id: { type: 'string' }, ...(bodyOf(type).properties as Schema) },
            },
          },
        ]),
      ),
    },
  },
})
