import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { isIPv4 } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

type Value = string | number | readonly Value[] | { readonly [key: string]: Value }

/** A record of the tree: the index of a node, or the place of a value behind the tree. */
type Entry = { node: number } | { value: number } | null

const type = { text: 2, map: 7, number: 6, list: 11 }
const metadataMarker = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1')

/** Writes a database in MaxMind's format with these networks (`203.0.113.0/24`), for one test. Returns its path. */
export async function placeDatabase(
  networks: Record<string, Value>,
  databaseType = 'Test-City',
  ipVersion: 4 | 6 = 6,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'floorpass-places-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, 'places.mmdb')
  await writeFile(file, encodeDatabase(networks, databaseType, ipVersion))
  return file
}

function encodeDatabase(networks: Record<string, Value>, databaseType: string, ipVersion: 4 | 6): Buffer {
  const nodes: [Entry, Entry][] = [[null, null]]
  const values: Buffer[] = []
  for (const [network, value] of Object.entries(networks)) {
    insert(nodes, bitsOf(network).slice(ipVersion === 4 ? 96 : 0), Buffer.concat(values).length)
    values.push(encode(value))
  }
  const records = nodes.flat().map((entry) => {
    const record = Buffer.alloc(3)
    record.writeUIntBE(entry === null ? nodes.length : 'node' in entry ? entry.node : nodes.length + 16 + entry.value, 0, 3)
    return record
  })
  const metadata = {
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1_767_225_600,
    database_type: databaseType,
    description: { en: 'networks of a test' },
    ip_version: ipVersion,
    languages: ['en', 'fr'],
    node_count: nodes.length,
    record_size: 24,
  }
  return Buffer.concat([...records, Buffer.alloc(16), ...values, metadataMarker, encode(metadata)])
}

function insert(nodes: [Entry, Entry][], bits: readonly (0 | 1)[], value: number): void {
  let node = 0
  for (const bit of bits.slice(0, -1)) {
    const entry = nodes[node]?.[bit]
    if (entry && 'node' in entry) {
      node = entry.node
      continue
    }
    nodes.push([null, null])
    const added = nodes.length - 1
    if (nodes[node]) (nodes[node] as [Entry, Entry])[bit] = { node: added }
    node = added
  }
  const last = bits.at(-1) ?? 0
  ;(nodes[node] as [Entry, Entry])[last] = { value }
}

/** The format keeps IPv4 networks below `::/96`. */
function bitsOf(network: string): (0 | 1)[] {
  const [address = '', size] = network.split('/')
  const bytes = isIPv4(address) ? [...Array<number>(12).fill(0), ...address.split('.').map(Number)] : bytesOf(address)
  const bits = bytes.flatMap((byte) => [...byte.toString(2).padStart(8, '0')].map((bit) => (bit === '1' ? 1 : 0) as 0 | 1))
  return bits.slice(0, Number(size) + (isIPv4(address) ? 96 : 0))
}

function bytesOf(address: string): number[] {
  const [before = [], after = []] = address.split('::').map((part) => part.split(':').filter(Boolean))
  const groups = [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after]
  return groups.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff])
}

function encode(value: Value): Buffer {
  if (typeof value === 'string') return Buffer.concat([control(type.text, Buffer.byteLength(value)), Buffer.from(value)])
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(value)
    return Buffer.concat([control(type.number, 4), bytes])
  }
  if (Array.isArray(value)) return Buffer.concat([control(type.list, value.length), ...value.map(encode)])
  const entries = Object.entries(value as Record<string, Value>)
  return Buffer.concat([control(type.map, entries.length), ...entries.flat().map(encode)])
}

/** The type and size in front of a value: types above 7 and sizes above 28 take a further byte. */
function control(kind: number, size: number): Buffer {
  const [short, ...longer] = size < 29 ? [size] : [29, size - 29]
  return kind > 7 ? Buffer.from([short ?? 0, kind - 7, ...longer]) : Buffer.from([(kind << 5) | (short ?? 0), ...longer])
}
