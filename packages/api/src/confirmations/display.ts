import { textsIn } from '@floorpass/languages'
import type { Locale } from '../kernel/locale.ts'
import type { AuthorizationDetail } from './contract.ts'
import { flatten } from './flatten.ts'

export type DisplayRow = { label: string; value: string }

/** Every member of every detail, so that the page hides nothing that the passkey signs. `type` comes first. */
export function describeDetails(details: readonly AuthorizationDetail[], locale: Locale): DisplayRow[] {
  const { labels } = textsIn(locale).confirmation
  return details.flatMap(({ type, ...members }) =>
    flatten({ type, ...members }).map(({ path, value }) => ({ label: labelOf(path, labels), value: visible(textOf(value)) })),
  )
}

function labelOf(path: readonly (string | number)[], labels: Readonly<Record<string, string>>): string {
  const name = visible(path.map((part) => (/^[\w-]+$/.test(String(part)) ? part : JSON.stringify(part))).join('.'))
  if (Object.hasOwn(labels, name)) return labels[name] as string
  // Otherwise a member named “Amount” would look like the amount.
  return Object.values(labels).some((label) => label.toLowerCase() === name.toLowerCase()) ? JSON.stringify(name) : name
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** Escapes characters that are invisible or that reorder the text around them. */
const visible = (text: string): string =>
  text.replace(
    /[\p{Cc}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  )
