import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { defaultLocale, type FindPlace } from '@floorpass/api'
import { type CityResponse, Reader } from 'mmdb-lib'
import { PlaceDatabaseError } from './place-database-error.ts'

type Names = CityResponse['city'] | CityResponse['country']

/** Reads the database into memory. PlaceDatabaseError. */
export async function openPlaces(file: string): Promise<FindPlace> {
  const content = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new PlaceDatabaseError(file, `cannot be read (${error.code})`)
  })
  const reader = openReader(file, content)
  return (ip, locale) => {
    const nameOf = (part: Names): string | null => {
      const name: unknown = part?.names?.[locale] ?? part?.names?.[defaultLocale]
      return typeof name === 'string' ? name : null
    }
    const found = findRecord(reader, ip)
    const place = { city: nameOf(found?.city), country: nameOf(found?.country ?? found?.registered_country) }
    return place.city === null && place.country === null ? null : place
  }
}

function findRecord(reader: Reader<CityResponse>, ip: string): CityResponse | null {
  const family = isIP(ip)
  // The library takes the first bytes of an IPv6 address for an IPv4 address.
  if (family === 0 || (family === 6 && reader.metadata.ipVersion === 4)) return null
  try {
    return reader.get(ip)
  } catch {
    // One damaged record hides one place, not the list of sessions.
    return null
  }
}

/** A file that was cut keeps the end that describes it, so the rest is checked too. */
function openReader(file: string, content: Buffer): Reader<CityResponse> {
  try {
    const reader = new Reader<CityResponse>(content)
    const { searchTreeSize, databaseType } = reader.metadata
    const separator = content.subarray(searchTreeSize, searchTreeSize + 16)
    if (separator.length < 16 || separator.some((byte) => byte !== 0)) throw new Error('no separator behind the tree')
    if (!/city|country|enterprise/i.test(databaseType))
      throw new PlaceDatabaseError(file, `has no cities or countries: its type is ${databaseType}`)
    for (const ip of ['0.0.0.0', '255.255.255.255']) reader.get(ip)
    return reader
  } catch (error) {
    throw error instanceof PlaceDatabaseError ? error : new PlaceDatabaseError(file, 'is damaged or has another format')
  }
}
