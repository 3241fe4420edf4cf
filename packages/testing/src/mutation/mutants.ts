import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Instrumenter, type InstrumenterOptions } from '@stryker-mutator/instrumenter'
import { activeMutants } from './scratch-clone.ts'

export type Mutant = { id: string; file: string; line: number; original: string; replacement: string }

type Logger = ConstructorParameters<typeof Instrumenter>[0]
type Ignorer = InstrumenterOptions['ignorers'][number]
/** What we read of Babel's path, whose types the instrumenter does not export. */
type Path = { node: { type: string }; parentPath: Path | null }

/** Puts every mutant of these files behind a switch. Overwrites the files. */
export async function instrument(root: string, files: string[]): Promise<Mutant[]> {
  const quiet = Object.fromEntries(['trace', 'debug', 'info', 'warn', 'error', 'fatal'].map((level) => [level, () => {}]))
  const logger = { ...quiet, isDebugEnabled: () => false } as unknown as Logger
  const sources = new Map(files.map((file) => [join(root, file), readFileSync(join(root, file), 'utf8')]))
  const instrumented = await new Instrumenter(logger).instrument(
    [...sources].map(([name, content]) => ({ name, content, mutate: true })),
    { plugins: null, excludedMutations: [], ignorers: [withoutBehavior] } as InstrumenterOptions,
  )
  const inherit = inheritMutant(activeMutants(root))
  for (const { name, content } of instrumented.files) writeFileSync(name, inherit + content)
  return instrumented.mutants
    .filter(({ status }) => status !== 'Ignored')
    .map(({ id, fileName, location: { start, end }, replacement }) => ({
      id,
      file: fileName.slice(root.length + 1),
      line: start.line + 1,
      original: slice(sources.get(fileName) ?? '', start, end),
      replacement,
    }))
}

/** A process that the service starts, such as that of an exchange check, has the mutant of its parent. Its environment may be empty. */
const inheritMutant = (folder: string): string => `
if (globalThis.process?.ppid && !globalThis.__stryker__) {
  const { existsSync, readFileSync } = process.getBuiltinModule('node:fs')
  const file = ${JSON.stringify(`${folder}/`)} + process.ppid
  globalThis.__stryker__ = { activeMutant: existsSync(file) ? readFileSync(file, 'utf8') : '' }
}
`

/** No behavior depends on these texts. The keys of the error catalogue and the declared `limit` stay. */
const withoutBehavior: Ignorer = {
  shouldIgnore(babelPath) {
    const path = babelPath as unknown as Path
    if (isDeclaredEffects(path)) return 'read by the compiler alone'
    if (!/^(?:StringLiteral|TemplateLiteral)$/.test(path.node.type)) return undefined
    if (isDeclaredDefault(path)) return 'the default of a declaration'
    return isMessage(path) ? 'text of a log or an error' : undefined
  },
}

/** Every other text means the same: the code asks only for `'caller'`, `true`, and the other kinds of access. */
function isDeclaredDefault({ node, parentPath }: Path): boolean {
  const { value } = node as { value?: string }
  const defaults = ['lock: own', 'sensitive: in-part', 'access: session']
  return parentPath !== null && defaults.includes(`${declaredKey(parentPath)}: ${value}`)
}

/** A declared mutation lists its events, mails and cookies for the compiler (ADR 032). */
function isDeclaredEffects(path: Path): boolean {
  return /^(?:events|mails|cookies)$/.test(declaredKey(path) ?? '')
}

/** The name of a property of `mutation()` or `customMutation()`. */
function declaredKey({ node, parentPath }: Path): string | undefined {
  const { key } = node as { key?: { name?: string } }
  const call = parentPath?.parentPath
  const isDeclared =
    node.type === 'ObjectProperty' && call?.node.type === 'CallExpression' && /^(?:m|customM)utation$/.test(calleeOf(call))
  return isDeclared ? key?.name : undefined
}

function isMessage({ parentPath }: Path): boolean {
  const isCall = /^(?:New|Call)Expression$/.test(parentPath?.node.type ?? '')
  const callee = parentPath && isCall ? calleeOf(parentPath) : ''
  return /(?:^|\.)log\.(?:info|warn|error|debug|fatal)$|^(?:Type|Range)?Error$/.test(callee)
}

function calleeOf(path: Path): string {
  const parts = (node: unknown): string[] => {
    const { type, name, object, property } = node as { type: string; name?: string; object?: unknown; property?: unknown }
    return type === 'MemberExpression' ? [...parts(object), ...parts(property)] : [name ?? '']
  }
  return parts((path.node as unknown as { callee: unknown }).callee).join('.')
}

type Position = { line: number; column: number }

function slice(source: string, start: Position, end: Position): string {
  const lines = source.split('\n').slice(start.line, end.line + 1)
  const last = lines.length - 1
  lines[last] = (lines[last] ?? '').slice(0, end.column)
  lines[0] = (lines[0] ?? '').slice(start.column)
  return lines.join('\n')
}

/** Draws `count` mutants. The same seed draws the same ones (mulberry32). */
export function sample<T>(items: T[], count: number, seed: number): T[] {
  let state = seed
  const random = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const rest = [...items]
  return Array.from({ length: Math.min(count, rest.length) }, () => rest.splice(Math.floor(random() * rest.length), 1)[0] as T)
}
