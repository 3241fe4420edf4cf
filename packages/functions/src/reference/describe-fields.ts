import { defaultLocale } from '@floorpass/languages/locales'
import type { Schema } from './examples.ts'

export type Field = {
  name: string
  type: string
  /** The type's name in `components.schemas`. */
  reference: string | null
  isRequired: boolean
  limits: string
  description: string
}

/** Lists the fields of an object, of the objects in a list, and of each variant of a union; those of nested objects as `data.name`. */
export function describeFields(schema: Schema, prefix = ''): Field[] {
  const variants = getVariants(schema)
  if (variants) return dropRepeated(variants.flatMap((variant) => describeFields(variant, prefix)))
  if (typeof schema.$ref === 'string' && prefix === '') return [field('', schema, true)]
  if (schema.type === 'array') return describeFields(schema.items as Schema, prefix)
  const required = new Set((schema.required ?? []) as string[])
  return Object.entries((schema.properties ?? {}) as Record<string, Schema>).flatMap(([name, part]) => [
    field(`${prefix}${name}`, part, required.has(name)),
    ...describeNested(part, `${prefix}${name}`),
  ])
}

function describeNested(schema: Schema, name: string): Field[] {
  if (schema.properties) return describeFields(schema, `${name}.`)
  const items = schema.items as Schema | undefined
  return items?.properties ? describeFields(items, `${name}[].`) : []
}

const getVariants = (schema: Schema): Schema[] | undefined => (schema.anyOf ?? schema.oneOf) as Schema[] | undefined

function dropRepeated(fields: readonly Field[]): Field[] {
  const seen = new Set<string>()
  return fields.filter(({ name, type }) => {
    const key = `${name} ${type}`
    return seen.has(key) ? false : seen.add(key)
  })
}

const field = (name: string, schema: Schema, isRequired: boolean): Field => ({
  name: name || getType(schema),
  type: getType(schema),
  reference: findReference(schema),
  isRequired,
  limits: getLimits(schema),
  description: typeof schema.description === 'string' ? schema.description : '',
})

function findReference(schema: Schema): string | null {
  if (typeof schema.$ref === 'string') return schema.$ref.split('/').at(-1) ?? null
  const inner = (schema.items as Schema | undefined) ?? getVariants(schema)?.[0]
  return inner ? findReference(inner) : null
}

function getType(schema: Schema): string {
  if (typeof schema.$ref === 'string') return findReference(schema) ?? ''
  if ('const' in schema) return JSON.stringify(schema.const)
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  const variants = getVariants(schema)
  if (variants) return [...new Set(variants.map(getType))].join(' | ')
  if (schema.type === 'array') return `${getType(schema.items as Schema)}[]`
  const formats: Record<string, string> = { email: 'email', uri: 'URL', 'date-time': 'date' }
  const types = [schema.type ?? 'any'].flat().map(String)
  return types.map((type) => (type === 'string' ? (formats[String(schema.format)] ?? type) : type)).join(' | ')
}

const count = (number: unknown): string => Number(number).toLocaleString(defaultLocale)

function getLimits(schema: Schema): string {
  const { minLength, maxLength, minimum, maximum, maxItems } = schema
  const isBounded = maximum !== undefined && Number(maximum) < Number.MAX_SAFE_INTEGER
  return [
    maxLength !== undefined && `${minLength === undefined ? 'At most' : `${count(minLength)} to`} ${count(maxLength)} characters`,
    isBounded && `${count(minimum)} to ${count(maximum)}`,
    maxItems !== undefined && `At most ${count(maxItems)} values`,
    schema.default !== undefined && `Default: \`${JSON.stringify(schema.default)}\``,
  ]
    .filter(Boolean)
    .join('. ')
}
