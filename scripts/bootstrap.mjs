// Plain JavaScript for Node 20 and later, since it runs before anything is installed.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { assertSystem, hasNode, isNodeNewEnough, linkNode, workspaceNode } from './node-runtime.mjs'
import { fail, run, say } from './run.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const stamp = join(root, 'node_modules', '.bootstrapped')
const generatedClient = join(root, 'packages', 'db', 'src', 'generated', 'client.ts')

const workspaces = [
  'bench',
  ...['apps', 'packages'].flatMap((folder) => readdirSync(join(root, folder)).map((name) => join(folder, name))),
]
const inputs = [
  'package.json',
  'pnpm-lock.yaml',
  'pnpm-workspace.yaml',
  'packages/db/prisma.config.ts',
  'packages/db/prisma/schema.prisma',
  'packages/db/scripts/generate.mjs',
  ...workspaces.map((folder) => join(folder, 'package.json')),
]

// Override personal npm settings that would break this workspace.
const installFlags = [
  '--frozen-lockfile',
  '--prod=false',
  '--reporter=append-only',
  '--config.confirm-modules-purge=false',
  '--config.engine-strict=false',
  '--config.ignore-scripts=false',
  '--config.lockfile=true',
  '--config.node-linker=isolated',
  '--config.optional=true',
]
const networkSetting =
  /^npm_config_(\/\/|_auth|.*registry|.*proxy|ca$|cafile|cert|key|strict_ssl|userconfig|globalconfig|cache$|fetch_|network_)/i

function currentState() {
  const hash = createHash('sha256').update(`${process.platform}-${process.arch}`)
  for (const name of inputs) hash.update(name).update(existsSync(join(root, name)) ? readFileSync(join(root, name)) : '')
  return hash.digest('hex')
}

const [installedScope, installedState] = existsSync(stamp) ? readFileSync(stamp, 'utf8').split(' ') : ['none']
/** `--service` installs only what builds and runs the service. A full installation stays full. */
const scope = process.argv.includes('--service') && /^(none|service)$/.test(installedScope) ? 'service' : 'all'

function isUpToDate(state) {
  return installedScope === scope && installedState === state && hasNode() && existsSync(generatedClient)
}

// NODE_ENV=production would skip build tools, and npm's settings and PATH may name a Node that is not installed yet.
function toolEnvironment() {
  const kept = Object.entries(process.env).filter(
    ([name]) => name !== 'NODE_ENV' && (!/^npm_/i.test(name) || networkSetting.test(name)),
  )
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.startsWith(join(root, 'node_modules')))
  return { ...Object.fromEntries(kept), PATH: [dirname(process.execPath), ...folders].join(delimiter) }
}

const reasons = [
  [/spawn npx ENOENT/, 'npx was not found.', 'Install npm (it comes with Node) and run the same command again.'],
  [/ENOSPC|EDQUOT/, 'The disk is full.', 'Free about 2 GB, then run the same command again.'],
  [
    /EACCES|EPERM|EROFS/,
    'A folder is not writable.',
    'Make this folder and the npm cache in your home folder writable for your user.',
  ],
  [
    /ERR_PNPM_OUTDATED_LOCKFILE|frozen-lockfile/,
    'pnpm-lock.yaml does not match a package.json.',
    'After changing dependencies run `npx pnpm install` and commit pnpm-lock.yaml.',
  ],
  [
    /SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|CERT_/i,
    'The certificate of the package registry is not trusted here.',
    'Point NODE_EXTRA_CA_CERTS at the certificate of your network, then run the same command again.',
  ],
  [
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ENOTCACHED|ERR_SOCKET|NO_OFFLINE|META_FETCH_FAIL|network/i,
    'The package registry cannot be reached.',
    'Check the network, the proxy and `npm config get registry`, then run the same command again.',
  ],
]

const findReason = (output) => reasons.find(([pattern]) => pattern.test(output))

function failInstall(what, output) {
  say(`\n${output.trimEnd()}`)
  const [, why, todo] = findReason(output) ?? [
    null,
    'The tool stopped with the output above.',
    'Run the same command again. If it fails again, delete the node_modules folders and retry.',
  ]
  fail(what, why, todo)
}

async function install(pnpm) {
  // Run outside the workspace, or npx would use the pnpm that this install replaces.
  const runtime = '@floorpass/node-runtime'
  const selection = {
    service: ['@floorpass/service...', ...(isNodeNewEnough ? [] : [runtime])],
    all: isNodeNewEnough ? [`!${runtime}`] : [],
  }
  const filters = selection[scope].flatMap((name) => ['--filter', name])
  return run('npx', ['--yes', pnpm, '-C', root, 'install', ...installFlags, ...filters], {
    cwd: tmpdir(),
    env: toolEnvironment(),
  })
}

async function bootstrap() {
  assertSystem()
  if (isUpToDate(currentState())) return linkNode()

  const started = Date.now()
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  rmSync(stamp, { force: true })

  say('Installing the packages (the first time may take a minute) …')
  let installed = await install(packageManager)
  const isDamaged = (installed.code === 0 && !hasNode()) || (installed.code !== 0 && !findReason(installed.output))
  if (isDamaged && existsSync(join(root, 'node_modules'))) {
    // After an interrupted install pnpm may consider the tree complete. Start over once.
    say('The installed packages are damaged. Reinstalling …')
    for (const folder of ['.', ...workspaces]) rmSync(join(root, folder, 'node_modules'), { recursive: true, force: true })
    installed = await install(packageManager)
  }
  if (installed.code !== 0) failInstall('The packages could not be installed.', installed.output)
  await linkNode()

  say('Generating the database client …')
  const generated = await run(workspaceNode, ['scripts/generate.mjs'], {
    cwd: join(root, 'packages', 'db'),
    env: toolEnvironment(),
  })
  if (generated.code !== 0) failInstall('The database client could not be generated.', generated.output)

  writeFileSync(stamp, `${scope} ${currentState()}`)
  say(`Set up in ${Math.round((Date.now() - started) / 1000)} s.`)
}

await bootstrap()
