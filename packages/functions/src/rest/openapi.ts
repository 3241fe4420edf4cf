import { catalogue } from '@floorpass/api'
import { emptyAnswer, errorAnswer } from '@floorpass/api/contracts'
import { z } from 'zod'
import type { BodyKind } from '../http/read-input.ts'
import type { Route } from './routes.ts'

const mediaTypes: Record<BodyKind, string> = { json: 'application/json', form: 'application/x-www-form-urlencoded' }

type DocumentInfo = { appName: string; baseUrl: string; cookieName: string }

export type OpenapiDocument = ReturnType<typeof openapiDocument>

export function openapiDocument(routes: readonly Route[], { appName, baseUrl, cookieName }: DocumentInfo) {
  const schemas: Record<string, unknown> = {}
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of routes) {
    for (const path of [route.path, ...route.aliases]) {
      paths[`/auth${path}`] = { ...paths[`/auth${path}`], [route.method.toLowerCase()]: buildOperation(route, path, schemas) }
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: `${appName}: accounts and authentication`,
      version: '1',
      description: `Errors answer \`{ code, message }\`. Codes: ${Object.keys(catalogue).join(', ')}.`,
    },
    servers: [{ url: baseUrl }],
    paths,
    components: {
      schemas,
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: cookieName },
        service: { type: 'http', scheme: 'bearer', description: 'The secret of another service' },
      },
    },
  }
}

function buildOperation(route: Route, path: string, schemas: Record<string, unknown>) {
  const isAlias = path !== route.path
  const isGet = route.method === 'GET'
  return {
    operationId: `${route.method.toLowerCase()}${path.replace(/[/-](\w)/g, (_, letter: string) => letter.toUpperCase())}`,
    summary: isAlias ? `${route.summary} (alias of /auth${route.path})` : route.summary,
    tags: [route.module],
    security: route.access === 'session' || route.access === 'service' ? [{ [route.access]: [] }] : [],
    ...(isGet && route.input && { parameters: buildParameters(route.input, schemas) }),
    ...(!isGet && { requestBody: buildRequestBody(route, schemas) }),
    responses: {
      ...(route.refuses === null && buildSuccess(route, schemas)),
      default: { description: 'Error', content: { 'application/json': { schema: toSchema(errorAnswer, 'output', schemas) } } },
    },
  }
}

const buildSuccess = ({ answer }: Route, schemas: Record<string, unknown>) =>
  answer === emptyAnswer
    ? { 200: { description: 'Success: the headers are the answer' } }
    : answer
      ? { 200: { description: 'Success', content: { 'application/json': { schema: toSchema(answer, 'output', schemas) } } } }
      : { 302: { description: 'Redirect', headers: { location: { schema: { type: 'string' } } } } }

function buildRequestBody({ input, accepts }: Route, schemas: Record<string, unknown>) {
  const schema = input ? toSchema(input, 'input', schemas) : { type: 'object' }
  return { required: input !== null, content: Object.fromEntries(accepts.map((kind) => [mediaTypes[kind], { schema }])) }
}

function buildParameters(input: z.ZodType, schemas: Record<string, unknown>) {
  const { properties = {}, required = [] } = toSchema(input, 'input', schemas) as {
    properties?: Record<string, unknown>
    required?: string[]
  }
  return Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', required: required.includes(name), schema }))
}

function toSchema(contract: z.ZodType, io: 'input' | 'output', schemas: Record<string, unknown>): Record<string, unknown> {
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
