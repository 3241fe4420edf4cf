import ts from 'typescript'

const printed =
  ts.TypeFlags.StringLike |
  ts.TypeFlags.NumberLike |
  ts.TypeFlags.BooleanLike |
  ts.TypeFlags.Null |
  ts.TypeFlags.Undefined |
  ts.TypeFlags.Void |
  ts.TypeFlags.Unknown |
  ts.TypeFlags.Never

/**
 * Declares the exported type `AppRouter` of a file without its context and metadata, so that only @trpc/server is left to import.
 * Bundlers of declarations cannot: they follow the context into Prisma's client, whose types have no portable name.
 */
export function declareRouter(program, source) {
  const checker = program.getTypeChecker()
  const symbol = checker.getExportsOfModule(checker.getSymbolAtLocation(source))
  const router = checker.getDeclaredTypeOfSymbol(checker.getAliasedSymbol(symbol.find(({ name }) => name === 'AppRouter')))
  const member = (type, ...names) =>
    names.reduce((owner, name) => checker.getTypeOfSymbol(checker.getPropertyOfType(owner, name)), type)
  const quote = (name) => (/^[\w$]+$/.test(name) ? name : JSON.stringify(name))

  function print(type, path) {
    if (/^Json(Value|Array|Object)$/.test(type.aliasSymbol?.name ?? type.symbol?.name)) return 'Json'
    if (path.length > 300) throw new Error(`${path}: refers to itself`)
    if (type.isUnion() && !(type.flags & ts.TypeFlags.BooleanLike)) {
      // An enum member prints as its value.
      return [...new Set(type.types.map((part) => print(part, path)))].join(' | ').replace('false | true', 'boolean')
    }
    // `string & {}` is a string that editors complete.
    if (type.isIntersection() && type.types.some((part) => part.flags & printed)) {
      return print(
        type.types.find((part) => part.flags & printed),
        path,
      )
    }
    if (type.isStringLiteral() || type.isNumberLiteral()) return JSON.stringify(type.value)
    if (type.flags & printed) return checker.typeToString(type)
    if (checker.isArrayType(type)) return `Array<${print(checker.getTypeArguments(type)[0], `${path}[]`)}>`
    if (type.symbol?.name === 'Date') return 'Date'
    const isData = type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection | ts.TypeFlags.NonPrimitive)
    if (!isData || type.getCallSignatures().length > 0) throw new Error(`${path}: cannot declare ${checker.typeToString(type)}`)
    const fields = checker.getPropertiesOfType(type).map((property) => {
      const isOptional = property.flags & ts.SymbolFlags.Optional
      return `${quote(property.name)}${isOptional ? '?' : ''}: ${print(checker.getTypeOfSymbol(property), `${path}.${property.name}`)}`
    })
    for (const { keyType, type: value } of checker.getIndexInfosOfType(type)) {
      fields.push(`[key: ${checker.typeToString(keyType)}]: ${print(value, `${path}[]`)}`)
    }
    return `{ ${fields.join('; ')} }`
  }

  function printRecord(record, path) {
    const entries = checker.getPropertiesOfType(record).map((property) => {
      const type = checker.getTypeOfSymbol(property)
      const name = path ? `${path}.${property.name}` : property.name
      if (!checker.getPropertyOfType(type, '_def')) return `${quote(property.name)}: ${printRecord(type, name)}`
      const kind = member(type, '_def', 'type').value === 'query' ? 'Query' : 'Mutation'
      const [input, output] = ['input', 'output'].map((side) => print(member(type, '_def', '$types', side), `${name} ${side}`))
      return `${quote(property.name)}: ${kind}<${input}, ${output}>`
    })
    return `{\n${entries.join('\n')}\n}`
  }

  const errorShape = print(member(router, '_def', '_config', '$types', 'errorShape'), 'error')
  // The declarations of @trpc/server use Disposable, which TypeScript 7 does not load by default.
  return `/// <reference lib="esnext.disposable" />
import type { TRPCBuiltRouter, TRPCMutationProcedure, TRPCQueryProcedure } from '@trpc/server'

type Query<Input, Output> = TRPCQueryProcedure<{ input: Input; output: Output; meta: unknown }>
type Mutation<Input, Output> = TRPCMutationProcedure<{ input: Input; output: Output; meta: unknown }>
type Json = string | number | boolean | null | Json[] | { [key: string]: Json | undefined }

export type AppRouter = TRPCBuiltRouter<
  { ctx: object; meta: object; errorShape: ${errorShape}; transformer: false },
  ${printRecord(member(router, '_def', 'record'), '')}
>
`
}
