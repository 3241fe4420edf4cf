// The service in a few files, for its start: finding, reading and stripping a thousand took most of the time and half of the memory (ADR 026).
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { decode, encode } from '@jridgewell/sourcemap-codec'
import { build } from 'esbuild'

const app = fileURLToPath(new URL('../', import.meta.url))
const folder = join(app, 'build')

/** They load files that lie beside them, or are asked for and never used: these stay where they are. */
const leftOut = /^(@electric-sql\/pglite|@node-rs\/argon2|undici)(\/|$)/

/** Writes build/server.js and its parts. The pages must be built before: the bundle holds them too, so that both share one instance of each package. */
export async function bundle() {
  mkdirSync(folder, { recursive: true })
  const { metafile, outputFiles } = await build({
    entryPoints: [join(app, 'src', 'server.ts')],
    outdir: folder,
    bundle: true,
    write: false,
    metafile: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    define: { 'process.env.NODE_ENV': '"production"' },
    // Names stay, since packages ask for them, and stacks are read. In Latin letters alone the text takes half the memory.
    minifyWhitespace: true,
    minifySyntax: true,
    keepNames: true,
    charset: 'ascii',
    legalComments: 'none',
    sourcemap: 'linked',
    sourcesContent: false,
    banner: {
      js: `import{createRequire as $require}from'node:module';const require=$require(import.meta.url),$here=import.meta.url;`,
    },
    logLevel: 'warning',
    plugins: [leaveOut, keepAddresses, unpackQueryCompiler],
  })
  assertNamesStay(metafile)
  assertAddressesKept(outputFiles)
  // A service may run from here, and loads parts when it first needs them: they have names of their own in each build. The entry comes last.
  const entryLast = outputFiles.toSorted((one, other) => Number(isEntry(one)) - Number(isEntry(other)))
  for (const { path, contents, text } of entryLast)
    place(path, path.endsWith('.map') ? JSON.stringify(ownPlaces(JSON.parse(text))) : contents)
}

const isEntry = ({ path }) => path === join(folder, 'server.js')

/** In one step: who reads it meanwhile has the old one or the new one. */
function place(path, contents) {
  writeFileSync(`${path}.part`, contents)
  renameSync(`${path}.part`, path)
}

/** All that `keepAddresses` knows is `import.meta.url`. What else there is would be that of the bundle, without a word. */
function assertAddressesKept(files) {
  for (const { path, text } of files) {
    const [lost] = (!path.endsWith('.map') && /\bimport\.meta\.(?!url\b)\w+/.exec(text)) || []
    if (lost) throw new Error(`${relative(folder, path)} has ${lost}, which is another in a bundle: use import.meta.url.`)
  }
}

/** In a bundle, `await import()` of a CommonJS file gives its default alone, where Node gives its names too. */
function assertNamesStay({ inputs }) {
  for (const [importer, { imports }] of Object.entries(inputs)) {
    const lost = imports.find(({ kind, path }) => kind === 'dynamic-import' && inputs[path]?.format === 'cjs')
    if (lost)
      throw new Error(
        `${importer} imports ${lost.path} on demand, which is CommonJS: import it in a module of your own, and that on demand.`,
      )
  }
}

/** Of a source map, what leads to our own files: the packages' share takes a fifth of a second to read, at every start. */
function ownPlaces(map) {
  const isOurs = map.sources.map((source) => !source.includes('/node_modules/'))
  const lines = decode(map.mappings).map((line) => {
    let wasOurs = true
    return line.flatMap((place) => {
      const isOurOwn = place.length > 1 && isOurs[place[1]]
      if (!isOurOwn && !wasOurs) return []
      wasOurs = isOurOwn
      return [isOurOwn ? place.slice(0, 4) : [place[0]]]
    })
  })
  return {
    ...map,
    sources: map.sources.map((source, index) => (isOurs[index] ? source : '')),
    names: [],
    mappings: encode(lines),
  }
}

const fromBundle = (path) => `./${relative(folder, path)}`

const leaveOut = {
  name: 'leave-out',
  setup({ onResolve, resolve }) {
    onResolve({ filter: leftOut }, async ({ path, kind, resolveDir, importer, pluginData }) => {
      if (pluginData === 'leave-out') return undefined
      const found = await resolve(path, { kind, resolveDir, importer, pluginData: 'leave-out' })
      return found.errors.length > 0 ? found : { path: fromBundle(found.path), external: true }
    })
  },
}

/** What a file finds by its own address, it finds from the bundle too. What it imports by it becomes part of the bundle. */
const keepAddresses = {
  name: 'keep-addresses',
  setup({ onLoad }) {
    onLoad({ filter: /\.(ts|[cm]?js)$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8')
      if (!/import\.meta\.|\b__(dir|file)name\b/.test(source)) return undefined
      const address = (of) => `new URL(${JSON.stringify(fromBundle(of))}, $here)`
      const contents = source
        .replaceAll(/import\(new URL\(('[^']+'), import\.meta\.url\)\.href\)/g, 'import($1)')
        .replaceAll('import.meta.url', `${address(path)}.href`)
        .replaceAll(
          /(?<![\w.$'"])__(dir|file)name\b(?!['":])/g,
          (_, what) => `require('node:url').fileURLToPath(${address(what === 'dir' ? dirname(path) : path)})`,
        )
      return { contents, loader: path.endsWith('.ts') ? 'ts' : 'js', resolveDir: dirname(path) }
    })
  },
}

/** Prisma's query compiler as the file that it is: as a string it would be four and a half megabytes of source. */
const unpackQueryCompiler = {
  name: 'unpack-query-compiler',
  setup({ onLoad }) {
    onLoad({ filter: /query_compiler_\w+\.postgresql\.wasm-base64\.m?js$/ }, async ({ path }) => {
      const { wasm } = await import(pathToFileURL(path).href)
      const content = Buffer.from(wasm, 'base64')
      const name = `query-compiler-${createHash('sha256').update(content).digest('hex').slice(0, 8)}.wasm`
      place(join(folder, name), content)
      // Its caller makes a buffer of it: of a string by decoding, of memory as it is.
      return { contents: `export const wasm = require('node:fs').readFileSync(new URL('./${name}', $here)).buffer` }
    })
  },
}
