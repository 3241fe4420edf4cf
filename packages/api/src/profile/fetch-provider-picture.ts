import { AppError } from '../kernel/errors.ts'
import { policy } from '../kernel/policy.ts'

const { fetchTime, largestForm } = policy.pictures

export const isAllowedPicture = (address: string, origins: readonly string[]): boolean =>
  origins.includes(URL.parse(address)?.origin ?? '')

/**
 * Loads a picture from an allowed origin, and follows no redirect: a provider's claim must not choose what the service calls.
 * PICTURE_NOT_FOUND, PROVIDER_UNAVAILABLE.
 */
export async function fetchProviderPicture(address: string, origins: readonly string[]): Promise<Buffer> {
  if (!isAllowedPicture(address, origins)) throw new AppError('PICTURE_NOT_FOUND')
  try {
    const signal = AbortSignal.timeout(fetchTime * 1000)
    const response = await fetch(address, { redirect: 'error', signal, headers: { accept: 'image/*' } })
    if (response.status !== 200) throw new Error(`the answer has status ${response.status}`)
    return await readLimited(response.body)
  } catch (cause) {
    throw new AppError('PROVIDER_UNAVAILABLE', { retryAfter: 10, cause })
  }
}

async function readLimited(body: ReadableStream<Uint8Array> | null): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = body?.getReader()
  for (let chunk = await reader?.read(); chunk && !chunk.done; chunk = await reader?.read()) {
    size += chunk.value.byteLength
    if (size > largestForm) {
      await reader?.cancel()
      throw new Error('the picture is larger than 2 MiB')
    }
    chunks.push(chunk.value)
  }
  return Buffer.concat(chunks)
}
