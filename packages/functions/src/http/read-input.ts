import { AppError } from '@floorpass/api'

export type BodyKind = 'json' | 'form'

const typeOf = { json: 'application/json', form: 'application/x-www-form-urlencoded' } as const

/** The query as an object. A name that comes twice counts once: the last one, as in JSON. */
export const readQuery = (request: Request): Record<string, string> => Object.fromEntries(new URL(request.url).searchParams)

/** The body as a value, whatever its shape: the contracts judge that. No body is `{}`. BAD_REQUEST, UNSUPPORTED_MEDIA_TYPE. */
export async function readBody(request: Request, accepts: readonly BodyKind[]): Promise<unknown> {
  const bytes = await request.arrayBuffer()
  if (bytes.byteLength === 0) return {}
  const kind = bodyKind(request.headers, accepts)
  const text = decode(bytes)
  if (kind === 'form') return Object.fromEntries(new URLSearchParams(text))
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new AppError('BAD_REQUEST', { cause })
  }
}

function bodyKind(headers: Headers, accepts: readonly BodyKind[]): BodyKind {
  const [type = '', ...parameters] = (headers.get('content-type') ?? '').toLowerCase().split(';')
  const kind = accepts.find((candidate) => typeOf[candidate] === type.trim())
  const charsets = parameters.map((parameter) => parameter.trim()).filter((parameter) => parameter.startsWith('charset='))
  const readable = charsets.every((charset) => /^charset="?utf-8"?$/.test(charset))
  if (!kind || !readable || headers.has('content-encoding')) {
    const allowed = accepts.map((candidate) => typeOf[candidate]).join(', ')
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', {
      message: `This content type is not allowed. Send ${allowed} in UTF-8, uncompressed`,
    })
  }
  return kind
}

function decode(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw new AppError('BAD_REQUEST', { message: 'The request body is not valid UTF-8', cause })
  }
}
