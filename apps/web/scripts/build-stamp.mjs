// What the build was made of, so that a start need not ask Turborepo, which takes ten times as long to say the same. Plain JavaScript:
// a start reads this before anything is built.
import { createHash } from 'node:crypto'
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('../../../', import.meta.url))
const buildOf = (root) => join(root, 'apps', 'web', 'build')
const stampOf = (root) => join(buildOf(root), 'stamp.json')

/** Of the whole workspace: the packages' versions, what compiles them and how. */
const shared = ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml', 'tsconfig.json', 'turbo.json']
/** What the build does not read. The database's client is generated from the schema and a package, which both count. */
const leftOut = /^(node_modules|build|\.turbo|src\/(tests|test-support|generated))$|\.md$/

/** The sources of the app and of all packages that it stands on, in one hash: the contents, since a date can lie. */
export function stateOfSources(root = here) {
  const hash = createHash('sha256')
  const add = (path) =>
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update('\0')
  for (const path of shared) add(path)
  for (const workspace of workspaces(root))
    for (const path of filesBelow(join(root, workspace), leftOut)) add(join(workspace, path))
  return hash.digest('hex')
}

/** Whether the build is that of these sources, and whole. */
export function isBuilt(state, root = here) {
  try {
    const { state: built, files } = JSON.parse(readFileSync(stampOf(root), 'utf8'))
    return built === state && Object.entries(files).every(([path, size]) => lstatSync(join(buildOf(root), path)).size === size)
  } catch {
    return false
  }
}

/** Says that the build is that of these sources. */
export function stampBuild(state, root = here) {
  const paths = filesBelow(buildOf(root)).filter((path) => path !== 'stamp.json')
  const files = Object.fromEntries(paths.map((path) => [path, lstatSync(join(buildOf(root), path)).size]))
  writeFileSync(stampOf(root), JSON.stringify({ state, files }))
}

const keptBuilds = 5

/**
 * What a build that began at `since` did not write is of builds before, and services that run from those may still load it: it goes when
 * five builds have not written it.
 */
export function dropSuperseded(since, root = here) {
  const list = join(buildOf(root), 'superseded.json')
  const known = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : {}
  const left = {}
  for (const path of filesBelow(buildOf(root))) {
    const file = join(buildOf(root), path)
    if (file === list || lstatSync(file).mtimeMs >= since) continue
    const builds = (known[path] ?? 0) + 1
    if (builds > keptBuilds) rmSync(file)
    else left[path] = builds
  }
  writeFileSync(list, JSON.stringify(left))
}

/** Before any of it is replaced: half a build is none. */
export const unstampBuild = (root = here) => rmSync(stampOf(root), { force: true })

/** The app's folder and those of the packages that it stands on, tests included, as Turborepo counts them. */
function workspaces(root) {
  const folders = new Map(
    ['apps/web', ...readdirSync(join(root, 'packages')).map((name) => `packages/${name}`)].map((folder) => [
      `@floorpass/${folder.split('/')[1]}`,
      folder,
    ]),
  )
  const found = new Set()
  const visit = (name) => {
    const folder = folders.get(name)
    if (!folder || found.has(folder)) return
    found.add(folder)
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
    for (const dependency of Object.keys({ ...dependencies, ...devDependencies })) visit(dependency)
  }
  visit('@floorpass/web')
  return [...found].sort()
}

function filesBelow(folder, skipped) {
  const found = []
  const walk = (path) => {
    for (const entry of readdirSync(join(folder, path), { withFileTypes: true })) {
      const below = path ? `${path}/${entry.name}` : entry.name
      if (skipped?.test(below)) continue
      if (entry.isDirectory()) walk(below)
      else if (entry.isFile()) found.push(below)
    }
  }
  walk('')
  return found.sort()
}
