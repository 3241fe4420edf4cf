import type { SignedRequest } from '@floorpass/api'

type Header = (name: string) => string | null

/** The request that a gateway asks about, by what the gateways of our recipes send. Null without a signature. */
export function readSignedRequest(header: Header): SignedRequest | null {
  const [signature, signatureInput] = [header('signature'), header('signature-input')]
  if (signature === null || signatureInput === null) return null
  return { ...readTarget(header), signature, signatureInput, contentDigest: header('content-digest'), body: null }
}

/** A gateway sends one family of headers. Both mean that the caller added one, so none is believed: no signature covers an empty URL. */
function readTarget(header: Header): Pick<SignedRequest, 'method' | 'url'> {
  const [method, url] = [header('x-original-method'), header('x-original-url')]
  const forwarded = header('x-forwarded-method')
  if (forwarded === null) return { method: method ?? '', url: url ?? '' }
  if (method !== null || url !== null) return { method: '', url: '' }
  const [protocol, host, path] = ['proto', 'host', 'uri'].map((name) => header(`x-forwarded-${name}`) ?? '')
  return { method: forwarded, url: `${protocol}://${host}${path}` }
}
