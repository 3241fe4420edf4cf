import type { AppError, FieldFailure } from '@floorpass/api'
import type { PageError } from '#app/form-result.ts'
import { type ServerText, serverTextIn } from '#app/text.server.ts'
import type { Locale } from '#app/text.ts'

/** Failures that belong to one box, and the names it has in our forms. */
const boxes: Record<string, { says: keyof ServerText['boxes']; names: readonly string[] }> = {
  INVALID_PASSWORD: { says: 'INVALID_PASSWORD', names: ['currentPassword', 'password'] },
  INVALID_CODE: { says: 'INVALID_CODE', names: ['code'] },
  INVALID_BACKUP_CODE: { says: 'INVALID_BACKUP_CODE', names: ['code'] },
  EMAIL_IS_THE_SAME: { says: 'EMAIL_IS_THE_SAME', names: ['newEmail'] },
  ORGANIZATION_ALREADY_EXISTS: { says: 'SLUG_TAKEN', names: ['slug'] },
  INVALID_NAME_LENGTH: { says: 'INVALID_NAME_LENGTH', names: ['name'] },
  INVALID_PUBLIC_KEY: { says: 'INVALID_PUBLIC_KEY', names: ['publicKey'] },
  ORGANIZATION_SLUG_ALREADY_TAKEN: { says: 'SLUG_TAKEN', names: ['slug'] },
}

const waits = new Set(['TOO_MANY_REQUESTS', 'ACCOUNT_TEMPORARILY_LOCKED'])

/** The failure in the person's language. `has` tells which fields the form had. */
export function explain(error: AppError, locale: Locale, has: (field: string) => boolean = () => false): PageError {
  const text = serverTextIn(locale)
  const box = boxes[error.key]
  const name = box?.names.find(has)
  const fields = error.fields ? inForm(error.fields, text, has) : box && name ? { [name]: text.boxes[box.says] } : {}
  const wait = waits.has(error.key) && error.retryAfter !== null ? text.tryAgainIn(...inUnits(error.retryAfter)) : ''
  const named = error.organizations.length === 0 ? '' : text.organizations(error.organizations.join(', '))
  return { key: error.key, message: text.errors[error.key] + named + wait, fields, retryAfter: error.retryAfter }
}

/** `data.name` of a contract is the box `name` of a form. */
function inForm(fields: Record<string, FieldFailure>, text: ServerText, has: (field: string) => boolean): Record<string, string> {
  const boxOf = (path: string) => (has(path) ? path : (path.split('.').at(-1) ?? path))
  return Object.fromEntries(Object.entries(fields).map(([path, { problem }]) => [boxOf(path), text.fields[problem]]))
}

function inUnits(seconds: number): [amount: number, unit: 'second' | 'minute' | 'hour'] {
  if (seconds < 90) return [seconds, 'second']
  const minutes = Math.ceil(seconds / 60)
  return minutes < 90 ? [minutes, 'minute'] : [Math.ceil(minutes / 60), 'hour']
}
