import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')

export type Address = { address: string; family: number }
export type Resolve = (hostname: string) => Promise<Address[]>

export class WebhookTargetError extends Error {
  override name = 'WebhookTargetError'
}

const lookups = new Map<string, Promise<Address[]>>()

/** One lookup of a name at a time: a lookup that hangs takes a thread, and nothing can stop it. */
export const resolveHost: Resolve = (hostname) => {
  const pending = lookups.get(hostname) ?? lookup(hostname, { all: true, verbatim: true }).finally(() => lookups.delete(hostname))
  lookups.set(hostname, pending)
  return pending
}

/** Says what is wrong with the URL of a webhook. Null: nothing. */
export function findUrlProblem(text: string, { allowPrivate }: { allowPrivate: boolean }): string | null {
  const url = URL.parse(text)
  if (!url || text.length > 2048) return 'it is not a URL of at most 2048 characters'
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:')) return 'it does not begin with https://'
  if (url.username || url.password) return 'it contains a user name or a password'
  if (url.hash) return 'it contains a #'
  const literal = getLiteral(url.hostname)
  if (literal && !allowPrivate && !isPublic(literal)) return `${literal} is not a public address`
  return null
}

/**
 * The addresses of a host, each checked: the caller connects to these and resolves nothing again, so that a name cannot lead to the
 * private network a moment later. WebhookTargetError.
 */
export async function findAddresses(
  hostname: string,
  { allowPrivate, resolve }: { allowPrivate: boolean; resolve: Resolve },
): Promise<Address[]> {
  const literal = getLiteral(hostname)
  const addresses = literal ? [{ address: literal, family: isIP(literal) }] : await resolve(hostname)
  const hidden = addresses.find(({ address }) => !isPublic(address))
  if (hidden && !allowPrivate)
    throw new WebhookTargetError(`${hostname} leads to ${hidden.address}, which is not a public address`)
  if (addresses.length === 0) throw new WebhookTargetError(`${hostname} has no address`)
  return addresses
}

/** A URL writes an IPv6 address in brackets, and every form of an IPv4 address as four numbers. */
function getLiteral(hostname: string): string | null {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1')
  return isIP(bare) ? bare : null
}

/** Global unicast addresses: those of IPv6 begin with 001 (RFC 4291 2.4). */
function isPublic(text: string): boolean {
  if (!ipaddr.isValid(text)) return false
  const address = ipaddr.parse(text)
  return address.range() === 'unicast' && (address instanceof ipaddr.IPv4 || address.match(globalUnicast))
}
