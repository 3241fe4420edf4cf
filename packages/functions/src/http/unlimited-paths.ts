import { pathsOf, routes } from '../rest/routes.ts'

/** Paths that `request:ip` does not count. */
export const unlimitedPaths: ReadonlySet<string> = new Set([
  ...routes.filter(({ unlimited }) => unlimited).flatMap(pathsOf),
  '/trpc/sessions.get',
])
