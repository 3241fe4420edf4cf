import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, realpathSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../../../../', import.meta.url))
/** The Node that runs npm here. Only one before 24.16 runs without libatomic, so only such a one can miss it. */
const hostNode = process.env.npm_node_execpath ?? 'node'
const hostVersion = spawnSync(hostNode, ['--version'], { encoding: 'utf8' }).stdout.trim()

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'floorpass-node-'))
  for (const name of ['apps', 'packages']) mkdirSync(join(folder, name))
  cpSync(join(root, 'scripts'), join(folder, 'scripts'), { recursive: true })
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Claims that Node is another one. An installation would fail in this folder, which has no package.json. */
function runBootstrap(claims: Record<string, string>, command = [process.execPath]) {
  const claimed = Object.entries(claims).map(([name, value]) => `${name}: ${value}`)
  const changes = `const real = process; const claims = { ${claimed} }
    globalThis.process = new Proxy({}, { get: (_, name) => claims[name] ?? real[name]?.bind?.(real) ?? real[name] })`
  const [program = '', ...args] = command
  const { status, stderr } = spawnSync(
    program,
    [...args, `--import=data:text/javascript,${encodeURIComponent(changes)}`, 'scripts/bootstrap.mjs'],
    { cwd: folder, encoding: 'utf8', env: { PATH: process.env.PATH } },
  )
  expect(existsSync(join(folder, 'node_modules'))).toBe(false)
  return { status, stderr }
}
const isNode = (version: string, typescript = "'strip'") => ({
  versions: `{ node: '${version}' }`,
  features: `{ typescript: ${typescript} }`,
})
const hasNoLibrary = {
  dlopen: "(_, name) => { throw new Error(name + ': cannot open shared object file: No such file or directory') }",
}
const installs = /The packages could not be installed|ENOENT: no such file or directory, open '.+package\.json'/

const linuxTest = test.skipIf(process.platform !== 'linux')

linuxTest.each(['20.20.0', '22.23.3', '24.15.0', '25.9.0', '26.0.0'])(
  'Node %s without libatomic gets the name of the package',
  (version) => {
    const { status, stderr } = runBootstrap({ ...isNode(version), ...hasNoLibrary })
    expect([status, stderr.trim().split('\n')]).toEqual([
      1,
      [
        'The library libatomic.so.1 is missing. Nothing was installed.',
        `  Why: The service needs Node 24.16+ or 26.1+, and this is Node ${version}. The newer one that this command would install needs the library.`,
        expect.stringMatching(
          /^ {2}Do: {2}(Run `.+ install libatomic1?` as root|Install the package .+), or install Node 24\.16\+/,
        ),
      ],
    ])
  },
)

linuxTest.each(['24.16.0', '24.99.0', '26.1.0', '27.0.0'])('Node %s is used itself, and needs no library', (version) => {
  expect(runBootstrap({ ...isNode(version), ...hasNoLibrary }).stderr).toMatch(installs)
})

linuxTest('a new Node that was built without TypeScript counts as too old', () => {
  expect(runBootstrap({ ...isNode('26.10.0', 'false'), ...hasNoLibrary }).stderr).toMatch(/^\s*The library libatomic/)
})

linuxTest('musl is refused, with any Node', () => {
  const hasMusl = { report: '{ getReport: () => ({ header: {} }) }' }
  for (const version of ['20.20.0', '26.10.0']) {
    const { status, stderr } = runBootstrap({ ...isNode(version), ...hasMusl })
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/^\s*This system has musl .+ Nothing was installed\.\n(.+\n)+.+bookworm-slim/),
    ])
  }
})

test('a processor without a package, and a Node before 20, are refused', () => {
  const other = runBootstrap({ ...isNode('22.0.0'), arch: "'riscv64'" })
  expect([other.status, other.stderr]).toEqual([
    1,
    expect.stringContaining(`npm has no newer one for ${process.platform}-riscv64`),
  ])
  const old = runBootstrap(isNode('18.20.4'))
  expect([old.status, old.stderr]).toEqual([1, expect.stringMatching(/^\s*Node 18\.20\.4 is too old\./)])
})

/** Removes libatomic for one command, in a private mount namespace. */
const withoutLibrary = [
  'unshare',
  '--mount',
  'sh',
  '-c',
  `folder=$(dirname "$(ldconfig -p | sed -n 's/.*libatomic.so.1 .*=> //p' | head -1)") && mount -t tmpfs tmpfs "$0" && mkdir "$0/upper" "$0/work" &&
   mount -t overlay overlay -o "lowerdir=$folder,upperdir=$0/upper,workdir=$0/work" "$folder" && rm "$folder/libatomic.so.1" && exec "$@"`,
]
const canHide = (() => {
  mkdirSync(join(root, 'node_modules', '.cache', 'overlay'), { recursive: true })
  const probe = [...withoutLibrary.slice(1), join(root, 'node_modules', '.cache', 'overlay'), hostNode, '--version']
  return spawnSync('unshare', probe).status === 0
})()

test.skipIf(!canHide)(`${hostVersion} of this machine finds the library missing where the loader does`, () => {
  const { status, stderr } = runBootstrap({}, [...withoutLibrary, join(root, 'node_modules', '.cache', 'overlay'), hostNode])
  expect([status, stderr]).toEqual([
    1,
    expect.stringMatching(/^\s*The library libatomic\.so\.1 is missing\. Nothing was installed\./),
  ])
})

test('`node` in the scripts of package.json is the Node that was chosen, and npm has one version of it for every platform', () => {
  const [chosen, inScripts] = ['node_modules/node/bin/node', 'node_modules/.bin/node'].map((link) =>
    realpathSync(join(root, link)),
  )
  expect(inScripts).toBe(chosen)
  const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'packages/node-runtime/package.json'), 'utf8'))
  expect(new Set(Object.values(optionalDependencies)).size).toBe(1)
})
