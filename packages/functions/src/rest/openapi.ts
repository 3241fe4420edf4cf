import { catalogue } from '@floorpass/api'
import { errorAnswer } from '@floorpass/api/contracts'
import { z } from 'zod'
import type { BodyKind } from '../http/read-input.ts'
import type { Route } from './routes.ts'

const mediaType: Record<BodyKind, string> = { json: 'application/json', form: 'application/x-www-form-urlencoded' }

type Names = { appName: string; baseUrl: string; cookieName: string }

/** The OpenAPI 3.1 document of /auth, made from the route table and the contracts: what is not in them is not in it. */
export function openapiDocument(routes: readonly Route[], { appName, baseUrl, cookieName }: Names) {
  const schemas: Record<string, unknown> = {}
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of routes) {
    for (const path of [route.path, ...route.aliases]) {
      paths[`/auth${path}`] = { ...paths[`/auth${path}`], [route.method.toLowerCase()]: operation(route, path, schemas) }
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: `${appName}: accounts and authentication`,
      version: '1',
      description: `Failures answer \`{ code, message }\`. Codes: ${Object.keys(catalogue).join(', ')}.`,
    },
    servers: [{ url: baseUrl }],
    paths,
    components: { schemas, securitySchemes: { session: { type: 'apiKey', in: 'cookie', name: cookieName } } },
  }
}

function operation(route: Route, path: string, schemas: Record<string, unknown>) {
  const isAlias = path !== route.path
  const isGet = route.method === 'GET'
  return {
    operationId: `${route.method.toLowerCase()}${path.replace(/[/-](\w)/g, (_, letter: string) => letter.toUpperCase())}`,
    summary: isAlias ? `${route.summary} (alias of /auth${route.path})` : route.summary,
    tags: [route.module],
    security: route.access === 'session' ? [{ session: [] }] : [],
    ...(isGet && route.input && { parameters: queryParameters(route.input, schemas) }),
    ...(!isGet && { requestBody: requestBody(route, schemas) }),
    responses: {
      ...(route.refuses === null && success(route, schemas)),
      default: { description: 'Refused', content: { 'application/json': { schema: schemaOf(errorAnswer, 'output', schemas) } } },
    },
  }
}

const success = ({ answer }: Route, schemas: Record<string, unknown>) =>
  answer
    ? { 200: { description: 'Done', content: { 'application/json': { schema: schemaOf(answer, 'output', schemas) } } } }
    : { 302: { description: 'Redirect', headers: { location: { schema: { type: 'string' } } } } }

function requestBody({ input, accepts }: Route, schemas: Record<string, unknown>) {
  const schema = input ? schemaOf(input, 'input', schemas) : { type: 'object' }
  return { required: input !== null, content: Object.fromEntries(accepts.map((kind) => [mediaType[kind], { schema }])) }
}

function queryParameters(input: z.ZodType, schemas: Record<string, unknown>) {
  const { properties = {}, required = [] } = schemaOf(input, 'input', schemas) as {
    properties?: Record<string, unknown>
    required?: string[]
  }
  return Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', required: required.includes(name), schema }))
}

/** The JSON schema of a contract; the parts of it that have a name go to `schemas`, once. */
function schemaOf(contract: z.ZodType, io: 'input' | 'output', schemas: Record<string, unknown>): Record<string, unknown> {
  const {
    $schema,
    $defs = {},
    id,
    ...schema
  } = z.toJSONSchema(contract, { io, target: 'draft-2020-12' }) as Record<string, unknown>
  for (const [name, { $schema: _, id: __, ...definition }] of Object.entries($defs as Record<string, Record<string, unknown>>)) {
    schemas[name] = relocated(definition)
  }
  if (typeof id !== 'string') return relocated(schema)
  schemas[id] = relocated(schema)
  return { $ref: `#/components/schemas/${id}` }
}

const relocated = (schema: Record<string, unknown>): Record<string, unknown> =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'))
