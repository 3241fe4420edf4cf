import { ProviderError } from '../../social/social-provider.ts'

const timeoutMilliseconds = 10_000
const largestAnswer = 256 * 1024

/**
 * Asks a provider and returns the JSON object it answers. Bounded in time and size, and it follows no redirect: a provider that
 * was taken over must not make this service call other addresses, nor fill its memory. ProviderError.
 */
export async function requestJson(url: string | URL, init: RequestInit = {}): Promise<{ status: number; body: unknown }> {
  try {
    const response = await fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(timeoutMilliseconds) })
    const text = await readBounded(response)
    return { status: response.status, body: text === '' ? null : JSON.parse(text) }
  } catch (cause) {
    throw cause instanceof ProviderError
      ? cause
      : new ProviderError('unavailable', 'the provider did not answer with JSON in time', { cause })
  }
}

/** The same for a library that brings its own parsing. */
export const boundedFetch = async (url: string, init: RequestInit): Promise<Response> => {
  const response = await fetch(url, { ...init, redirect: 'error' })
  return new Response(await readBounded(response), { status: response.status, headers: response.headers })
}

async function readBounded(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  const reader = response.body?.getReader()
  for (let chunk = await reader?.read(); chunk && !chunk.done; chunk = await reader?.read()) {
    size += chunk.value.byteLength
    if (size > largestAnswer) throw new ProviderError('unavailable', 'the provider answered more than 256 KiB')
    text += decoder.decode(chunk.value, { stream: true })
  }
  return text + decoder.decode()
}
