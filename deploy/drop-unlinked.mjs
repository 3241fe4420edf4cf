// Removes packages from node_modules/.pnpm that no link of the workspace leads to: `node deploy/drop-unlinked.mjs [folder]`.
import { existsSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { join, relative, sep } from 'node:path'

const root = realpathSync(process.argv[2] ?? '.')
const store = join(root, 'node_modules', '.pnpm')
const linked = new Set()

const list = (folder) => (existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [])

function follow(folder) {
  for (const link of list(folder).flatMap((path) => (path.startsWith(join(folder, '@')) ? list(path) : path))) {
    const target = existsSync(link) ? realpathSync(link) : ''
    if (!target.startsWith(store + sep)) continue
    const [name] = relative(store, target).split(sep)
    if (linked.has(name)) continue
    linked.add(name)
    follow(join(store, name, 'node_modules'))
  }
}

for (const folder of [root, ...list(join(root, 'apps')), ...list(join(root, 'packages'))]) follow(join(folder, 'node_modules'))
for (const name of readdirSync(store)) {
  if (name.includes('@') && !linked.has(name)) rmSync(join(store, name), { recursive: true })
}
