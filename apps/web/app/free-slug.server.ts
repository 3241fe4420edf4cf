import { randomBytes } from 'node:crypto'
import type { Api } from '@floorpass/api'
import { fieldLengths } from '@floorpass/api/contracts'
import { tryCall } from '#app/api.server.ts'
import { slugFromName } from '#app/slug-from-name.ts'
import type { Locale } from '#app/text.ts'

/** A short name for a person who typed none: from the name, with a random end where that one is taken or reserved. */
export async function findFreeSlug(api: Api, name: string, locale: Locale): Promise<string> {
  const slug = slugFromName(name, fieldLengths.slug)
  const isFree = slug !== '' && (await tryCall(api.organizations.checkSlug({ slug }), locale)).refusal === null
  if (isFree) return slug
  const end = randomBytes(3).toString('hex')
  return `${slugFromName(slug, fieldLengths.slug - end.length - 1) || 'team'}-${end}`
}
