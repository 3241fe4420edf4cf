import { type Declared, restRouter } from '@floorpass/api'
import { type Route, routes } from '@floorpass/functions'

/** What the mutation behind a POST route declares (ADR 032). Null for a query. */
function findDeclaration({ call }: Route): Declared | null {
  let name = ''
  const recorder = (path: string): object =>
    new Proxy(() => Promise.resolve({}), {
      get: (_target, key) => recorder(path === '' ? String(key) : `${path}.${String(key)}`),
      apply: () => {
        name ||= path
        return Promise.resolve({})
      },
    })
  void call(recorder('') as never, {} as never, new Request('http://localhost'), {} as never)
  const procedures = restRouter._def.procedures as unknown as Record<string, { _def: { type: string; meta?: Declared } }>
  if (procedures[name]?._def.type === 'query') return null
  const declared = procedures[name]?._def.meta
  if (!declared) throw new Error(`${name} declares nothing`)
  return declared
}

/** Every route that may change something, with its declaration. */
export const declaredRoutes = routes
  .filter(({ method }) => method === 'POST')
  .flatMap((route) => {
    const declared = findDeclaration(route)
    return declared ? [{ ...route, declared }] : []
  })
