import { AppError } from '@floorpass/api'
import { trimWhitespace } from './trim-whitespace.ts'

export type BodyKind = 'json' | 'form' | 'multipart'

export const contentTypes: Record<BodyKind, string> = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  multipart: 'multipart/form-data',
}

export type Query = Record<string, string | string[]>

/** A repeated parameter becomes a list, which contracts refuse unless they take one. */
export function readQuery(request: Request): Query {
  const byName = Map.groupBy(new URL(request.url).searchParams, ([name]) => name)
  return Object.fromEntries(
    [...byName].map(([name, pairs]) => {
      const values = pairs.map(([, value]) => value)
      return [name, values.length === 1 ? String(values[0]) : values]
    }),
  )
}

/** Parses the body; the contracts validate it later. An empty body is `{}`. BAD_REQUEST, UNSUPPORTED_MEDIA_TYPE. */
export async function readBody(request: Request, accepts: readonly BodyKind[]): Promise<unknown> {
  const bytes = await request.arrayBuffer()
  if (bytes.byteLength === 0) return {}
  const kind = findBodyKind(request.headers, accepts)
  if (kind === null) {
    const allowed = accepts.map((candidate) => contentTypes[candidate]).join(', ')
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', {
      message: `This content type is not allowed. Send ${allowed} in UTF-8, uncompressed`,
    })
  }
  if (kind === 'multipart') return readFields(bytes, request.headers)
  const text = decode(bytes)
  if (kind === 'form') return Object.fromEntries(new URLSearchParams(text))
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new AppError('BAD_REQUEST', { cause })
  }
}

/** The fields of a form with files. A file becomes base64, as in JSON. */
async function readFields(bytes: ArrayBuffer, headers: Headers): Promise<Record<string, string>> {
  const type = headers.get('content-type') ?? ''
  const form = await new Response(bytes, { headers: { 'content-type': type } }).formData().catch((cause: unknown) => {
    throw new AppError('BAD_REQUEST', { message: 'The request body is not a valid form', cause })
  })
  const fields = [...form].map(async ([name, value]) => [
    name,
    typeof value === 'string' ? value : Buffer.from(await value.arrayBuffer()).toString('base64'),
  ])
  return Object.fromEntries(await Promise.all(fields))
}

/** The kind of body that the headers declare. Null if it is not in `accepts`, not UTF-8, or compressed. */
export function findBodyKind(headers: Headers, accepts: readonly BodyKind[]): BodyKind | null {
  const [type = '', ...parameters] = (headers.get('content-type') ?? '').toLowerCase().split(';')
  const kind = accepts.find((candidate) => contentTypes[candidate] === trimWhitespace(type))
  const charsets = parameters.map(trimWhitespace).filter((parameter) => parameter.startsWith('charset'))
  const readable = charsets.every((charset) => /^charset="?utf-8"?$/.test(charset))
  return kind && readable && !headers.has('content-encoding') ? kind : null
}

export const readText = async (request: Request): Promise<string> => decode(await request.arrayBuffer())

function decode(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw new AppError('BAD_REQUEST', { message: 'The request body is not valid UTF-8', cause })
  }
}
