import type { SignedRequest } from '@floorpass/api'

type Header = (name: string) => string | null

/** The request that a gateway asks about, by what the gateways of our recipes send. Null without a signature. */
export function readSignedRequest(header: Header): SignedRequest | null {
  const [signature, signatureInput] = [header('signature'), header('signature-input')]
  if (signature === null || signatureInput === null) return null
  const method = header('x-original-method') ?? header('x-forwarded-method') ?? ''
  const [protocol, host, path] = ['proto', 'host', 'uri'].map((name) => header(`x-forwarded-${name}`) ?? '')
  const url = header('x-original-url') ?? `${protocol}://${host}${path}`
  return { method, url, signature, signatureInput, contentDigest: header('content-digest'), body: null }
}
