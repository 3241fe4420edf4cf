import { AppError, catalogue, type Declared, type ErrorKey } from '@floorpass/api'
import { csvAnswer, emptyAnswer, errorAnswer, eventStreamAnswer, webpAnswer } from '@floorpass/api/contracts'
import { z } from 'zod'
import { contentTypes } from '../http/read-input.ts'
import { type CodeSample, codeSamples } from '../reference/code-samples.ts'
import { openapiWebhooks } from '../reference/event-documents.ts'
import { answerExamples, buildExample, inputExamples, type Schema } from '../reference/examples.ts'
import { accessNotes, describeField, describeLimit, groups, noteOf, type RouteAccess } from '../reference/notes.ts'
import { type RecordedCall, recordCall } from '../reference/record-call.ts'
import { commonErrorsOf, otherStatusOf, rowErrorsOf, ruleErrorsOf } from '../reference/route-errors.ts'
import type { Route } from './routes.ts'

type DocumentInfo = { appName: string; baseUrl: string; cookieName: string }

type Content = Record<string, { schema: Schema; example?: unknown; examples?: Record<string, { $ref: string }> }>

type Response = { description: string; headers?: Record<string, { schema: Schema }>; content?: Content }

export type Operation = {
  operationId: string
  summary: string
  description: string
  tags: string[]
  security: Record<string, never[]>[]
  parameters?: {
    name: string
    in: 'query' | 'path'
    required: boolean
    description?: string
    schema: Schema
    example?: unknown
  }[]
  requestBody?: { required: boolean; content: Content }
  responses: Record<string, Response>
  'x-access': RouteAccess
  'x-alias-of'?: string
  'x-codeSamples': CodeSample[]
}

export type ErrorExample = { summary: string; value: { code: string; message: string } }

export type OpenapiDocument = ReturnType<typeof openapiDocument>

export function openapiDocument(routes: readonly Route[], { appName, baseUrl, cookieName }: DocumentInfo) {
  const schemas: Record<string, Schema> = {}
  const paths: Record<string, Record<string, Operation>> = {}
  for (const route of routes) {
    for (const path of [route.path, ...route.aliases]) {
      const operation = buildOperation(route, path, { schemas, baseUrl })
      paths[`/auth${path}`] = { ...paths[`/auth${path}`], [route.method.toLowerCase()]: operation }
    }
  }
  toSchema(errorAnswer, 'output', schemas)
  const modules = [...new Set(routes.map(({ module }) => module))]
  return {
    openapi: '3.1.0',
    info: {
      title: `${appName}: accounts and authentication`,
      version: '1',
      description: `Errors answer \`{ code, message }\`. Codes: ${Object.keys(catalogue).join(', ')}.`,
    },
    servers: [{ url: baseUrl }],
    tags: modules.map((name) => ({ name, description: groups[name]?.[1] ?? '' })),
    paths,
    webhooks: openapiWebhooks(),
    components: {
      schemas,
      examples: buildErrorExamples(),
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: cookieName },
        service: { type: 'http', scheme: 'bearer', description: 'The secret of another service' },
      },
    },
  }
}

const buildErrorExamples = (): Record<string, ErrorExample> =>
  Object.fromEntries(
    Object.entries(catalogue).map(([code, [, message]]) => [code, { summary: message, value: { code, message } }]),
  )

type BuildOptions = { schemas: Record<string, Schema>; baseUrl: string }

const securityOf = ({ access }: Route): Record<string, []>[] => {
  if (access === 'session' || access === 'administrator') return [{ session: [] }]
  return access === 'service' ? [{ service: [] }] : []
}

const operationId = ({ method }: Route, path: string): string =>
  `${method.toLowerCase()}${path.replace(/\/?[/{.-](\w)/g, (_, letter: string) => letter.toUpperCase()).replace('}', '')}`

function buildOperation(route: Route, path: string, { schemas, baseUrl }: BuildOptions): Operation {
  const isAlias = path !== route.path
  const isGet = route.method === 'GET'
  const inputSchema = describeInput(route, schemas)
  const key = `${route.method} ${route.path}`
  const input = (inputExamples[key] ?? (inputSchema ? buildExample(inputSchema, schemas) : {})) as Record<string, unknown>
  const recorded = recordCall(route, input)
  const access = recorded?.declared?.access === 'reauthenticated' ? 'reauthenticated' : route.access
  return {
    operationId: operationId(route, path),
    summary: isAlias ? `${route.summary} (alias of /auth${route.path})` : route.summary,
    description: describe(route, access, recorded),
    tags: [route.module],
    security: securityOf(route),
    ...(isGet && inputSchema && { parameters: buildParameters(route, inputSchema, input) }),
    ...(!isGet && { requestBody: buildRequestBody(route, inputSchema, input) }),
    responses: {
      ...(route.refuses === null && buildSuccess(route, schemas)),
      ...buildRefusals(route, recorded?.declared ?? null),
      default: { description: 'An error that most routes can give', content: buildErrors(commonErrorsOf(route)) },
    },
    'x-access': access,
    ...(isAlias && { 'x-alias-of': operationId(route, route.path) }),
    'x-codeSamples': codeSamples(route, { url: `${baseUrl}/auth${path}`, baseUrl, input, recorded }),
  }
}

const describe = (route: Route, access: RouteAccess, recorded: RecordedCall | null): string =>
  [noteOf(route), accessNotes[access][1], describeLimit(recorded?.declared?.limit ?? null)].filter(Boolean).join(' ')

function buildSuccess(route: Route, schemas: Record<string, Schema>): Record<string, Response> {
  const { answer } = route
  if (answer === emptyAnswer) return { 200: { description: 'Success: the headers are the answer' } }
  if (answer === eventStreamAnswer)
    return { 200: { description: 'Server-Sent Events', content: { 'text/event-stream': { schema: { type: 'string' } } } } }
  if (answer === csvAnswer) return { 200: { description: 'The file', content: { 'text/csv': { schema: { type: 'string' } } } } }
  if (answer === webpAnswer) return { 200: { description: 'The picture', content: { 'image/webp': { schema: {} } } } }
  if (!answer) return { 302: { description: 'Redirect', headers: { location: { schema: { type: 'string' } } } } }
  const schema = toSchema(answer, 'output', schemas)
  const example = answerExamples[`${route.method} ${route.path}`] ?? buildExample(schema, schemas)
  return { 200: { description: 'Success', content: { 'application/json': { schema, example } } } }
}

function buildRefusals(route: Route, declared: Declared | null): Record<string, Response> {
  const listed = new Set([...rowErrorsOf(route, declared), ...ruleErrorsOf(route)])
  const keys = (Object.keys(catalogue) as ErrorKey[]).filter((key) => listed.has(key))
  const statusOf = (key: ErrorKey) => otherStatusOf(route, key) ?? new AppError(key).status
  return Object.fromEntries(
    [...Map.groupBy(keys, statusOf)].map(([status, codes]) => [
      status,
      { description: codes.join(', '), content: buildErrors(codes) },
    ]),
  )
}

const buildErrors = (codes: readonly ErrorKey[]): Content => ({
  'application/json': {
    schema: { $ref: '#/components/schemas/Error' },
    examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
  },
})

function buildRequestBody({ input, accepts }: Route, schema: Schema | null, example: Record<string, unknown>) {
  const content = { schema: schema ?? { type: 'object' }, ...(schema && { example }) }
  return { required: input !== null, content: Object.fromEntries(accepts.map((kind) => [contentTypes[kind], content])) }
}

function buildParameters({ path }: Route, { properties = {}, required = [] }: Schema, example: Record<string, unknown>) {
  return Object.entries(properties as Record<string, Schema>).map(([name, { description, ...schema }]) => ({
    name,
    in: path.includes(`{${name}}`) ? ('path' as const) : ('query' as const),
    required: (required as string[]).includes(name),
    ...(typeof description === 'string' && { description }),
    schema,
    ...(name in example && { example: example[name] }),
  }))
}

const describeInput = (route: Route, schemas: Record<string, Schema>): Schema | null =>
  route.input && describeFields(route, toSchema(route.input, 'input', schemas))

function describeFields(route: Route, schema: Schema): Schema {
  if (!schema.properties) return schema
  const fields = Object.entries(schema.properties as Record<string, Schema>).map(
    ([name, field]) => [name, describeFields(route, describeField(route, name, field))] as const,
  )
  return { ...schema, properties: Object.fromEntries(fields) }
}

function toSchema(contract: z.ZodType, io: 'input' | 'output', schemas: Record<string, Schema>): Schema {
  const {
    $schema,
    $defs = {},
    id,
    ...schema
  } = z.toJSONSchema(contract, { io, target: 'draft-2020-12' }) as Record<string, unknown>
  for (const [name, { $schema: _, id: __, ...definition }] of Object.entries($defs as Record<string, Record<string, unknown>>)) {
    schemas[name] = rewriteRefs(definition)
  }
  if (typeof id !== 'string') return rewriteRefs(schema)
  schemas[id] = rewriteRefs(schema)
  return { $ref: `#/components/schemas/${id}` }
}

const rewriteRefs = (schema: Record<string, unknown>): Record<string, unknown> =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'))
