import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Route } from '@floorpass/functions'
import ts from 'typescript'

const packages = fileURLToPath(new URL('../../', import.meta.url))
const api = join(packages, 'api/src')
const rest = join(packages, 'functions/src/rest')
const isSkipped = (file: string): boolean =>
  // Every procedure uses these. The tables that they read name all errors.
  /\/api\/src\/(trpc|mutation|context|to-app-error|kernel\/errors|rate-limits\/rate-limiter)\.ts$/.test(file)

/** Files of the edge that answer a single route. */
const answersRoute = (name: string): boolean => /^(answer|follow|passkey)-[\w-]+\.ts$/.test(name)

/** What a method of the context can throw, by the last part of the call. It is an interface, so the code behind it is not followed. */
const contextErrors: [call: RegExp, code: string][] = [
  [/\.passwords\.(hash|verify)$/, 'SERVICE_BUSY'],
  [/\.events\.acquireReader$/, 'SERVICE_BUSY'],
  [/\.(limiter\.consume|limitByIp|startRead)$/, 'TOO_MANY_REQUESTS'],
  [/\.findSession$/, 'TOO_MANY_REQUESTS'],
]

type Module = {
  declarations: Map<string, ts.Node>
  imports: Map<string, { file: string; name: string }>
}

const modules = new Map<string, Module>()

function load(file: string): Module {
  const known = modules.get(file)
  if (known) return known
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true)
  const module: Module = { declarations: new Map(), imports: new Map() }
  modules.set(file, module)
  for (const statement of source.statements) {
    if (ts.isImportDeclaration(statement)) addImports(module, file, statement)
    else if ((ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)) && statement.name)
      module.declarations.set(statement.name.text, statement)
    else if (ts.isVariableStatement(statement))
      for (const declaration of statement.declarationList.declarations)
        if (ts.isIdentifier(declaration.name)) module.declarations.set(declaration.name.text, declaration)
  }
  return module
}

function addImports(module: Module, file: string, { importClause, moduleSpecifier }: ts.ImportDeclaration): void {
  const target = ts.isStringLiteral(moduleSpecifier) ? moduleSpecifier.text : ''
  const bindings = importClause?.namedBindings
  if (!target.startsWith('.') || importClause?.isTypeOnly || !bindings || !ts.isNamedImports(bindings)) return
  for (const { isTypeOnly, name, propertyName } of bindings.elements)
    if (!isTypeOnly) module.imports.set(name.text, { file: join(dirname(file), target), name: (propertyName ?? name).text })
}

type Place = { file: string; node: ts.Node }

function find(file: string, name: string): Place | null {
  const { declarations, imports } = load(file)
  const node = declarations.get(name)
  if (node) return { file, node }
  const imported = imports.get(name)
  return imported ? find(imported.file, imported.name) : null
}

/** The declaration of a procedure, such as `signIn.email`. */
function findProcedureDeclaration(path: string): Place | null {
  if (!path.includes('.')) return find(join(api, 'router.ts'), path)
  const [group = '', name = ''] = path.split('.')
  const member = (router: Place | null, key: string): Place | null => {
    if (!router) return null
    let value: ts.Identifier | undefined
    const visit = (node: ts.Node): void => {
      if (ts.isShorthandPropertyAssignment(node) && node.name.text === key) value ??= node.name
      if (ts.isPropertyAssignment(node) && node.name.getText() === key && ts.isIdentifier(node.initializer))
        value ??= node.initializer
      ts.forEachChild(node, visit)
    }
    visit(router.node)
    return value ? find(router.file, value.text) : null
  }
  return member(member(find(join(api, 'router.ts'), 'appRouter'), group), name)
}

/** The codes that the code of a route names: its function, its procedure, and all that these call. */
export function reachableErrors({ call: run, access }: Pick<Route, 'call' | 'access'>, codes: ReadonlySet<string>): string[] {
  const call = String(run)
  const found = new Set<string>()
  const seen = new Set<ts.Node>()
  const followAdministrator = () => follow(find(join(api, 'administration/require-administrator.ts'), 'requireAdministrator'))
  const followService = () => follow(find(join(api, 'service-credentials/require-service.ts'), 'requireService'))
  const follow = (place: Place | null): void => {
    if (!place || seen.has(place.node) || isSkipped(place.file)) return
    seen.add(place.node)
    const visit = (node: ts.Node): void => {
      if (ts.isTypeNode(node)) return
      if (ts.isStringLiteral(node) && codes.has(node.text) && !isComparison(node.parent)) found.add(node.text)
      if (ts.isPropertyAssignment(node) && /^access: '\w+:\w+'$/.test(node.getText()))
        (access === 'administrator' ? followAdministrator : followService)()
      if (ts.isPropertyAccessExpression(node)) {
        const text = node.getText()
        if (/^api\.\w+(\.\w+)?$/.test(text)) follow(findProcedureDeclaration(text.slice('api.'.length)))
        for (const [pattern, code] of contextErrors) if (pattern.test(text)) found.add(code)
        visit(node.expression)
        return
      }
      if (ts.isIdentifier(node)) follow(find(place.file, node.text))
      ts.forEachChild(node, visit)
    }
    visit(place.node)
  }
  for (const [, path = ''] of call.matchAll(/\bapi\.(\w+(?:\.\w+)?)\(/g)) follow(findProcedureDeclaration(path))
  if (access === 'service') followService()
  if (access === 'administrator') followAdministrator()
  for (const file of readdirSync(rest).filter(answersRoute)) {
    for (const [name] of load(join(rest, file)).declarations)
      if (new RegExp(`\\b${name}\\b`).test(call)) follow(find(join(rest, file), name))
  }
  return [...found].sort()
}

const isComparison = (node: ts.Node): boolean =>
  ts.isBinaryExpression(node) &&
  [ts.SyntaxKind.EqualsEqualsEqualsToken, ts.SyntaxKind.ExclamationEqualsEqualsToken].includes(node.operatorToken.kind)
