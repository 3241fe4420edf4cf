import { ProviderError } from '../../social/social-provider.ts'

const timeoutMs = 10_000
const maxResponseBytes = 256 * 1024

/** Bounds time and size and follows no redirect, in case a provider is compromised. Throws ProviderError. */
export async function requestJson(url: string | URL, init: RequestInit = {}): Promise<{ status: number; body: unknown }> {
  try {
    const response = await fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(timeoutMs) })
    const text = await readLimitedText(response)
    return { status: response.status, body: text === '' ? null : JSON.parse(text) }
  } catch (cause) {
    throw cause instanceof ProviderError
      ? cause
      : new ProviderError('unavailable', 'the provider sent no valid JSON in time', { cause })
  }
}

export const boundedFetch = async (url: string, init: RequestInit): Promise<Response> => {
  const response = await fetch(url, { ...init, redirect: 'error' })
  return new Response(await readLimitedText(response), { status: response.status, headers: response.headers })
}

async function readLimitedText(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  const reader = response.body?.getReader()
  for (let chunk = await reader?.read(); chunk && !chunk.done; chunk = await reader?.read()) {
    size += chunk.value.byteLength
    if (size > maxResponseBytes) throw new ProviderError('unavailable', 'the response of the provider is larger than 256 KiB')
    text += decoder.decode(chunk.value, { stream: true })
  }
  return text + decoder.decode()
}
