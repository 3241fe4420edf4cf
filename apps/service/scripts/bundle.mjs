// Bundles the service into a few files. Loading a thousand files took most of the start and half of the memory (ADR 026).
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { decode, encode } from '@jridgewell/sourcemap-codec'
import { build } from 'esbuild'

const app = fileURLToPath(new URL('../', import.meta.url))
const folder = join(app, 'build')

/** Packages that stay in node_modules: they load files next to their own, or are never used. */
const externalPackages = /^(@electric-sql\/pglite|@node-rs\/argon2|sharp|undici)(\/|$)/

/** Writes build/server.js and its chunks. Build the pages first: the bundle contains them, so that both share one instance of each package. */
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
    // Keep names: packages read them, and people read stacks. ASCII text takes half the memory.
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
    plugins: [keepExternal, keepFileUrls, unpackQueryCompiler],
  })
  assertNamedImports(metafile)
  assertFileUrlsKept(outputFiles)
  // A running service loads chunks on demand. Each build gives its chunks new names, so write the entry last.
  const entryLast = outputFiles.toSorted((one, other) => Number(isEntry(one)) - Number(isEntry(other)))
  for (const { path, contents, text } of entryLast)
    replaceFile(path, path.endsWith('.map') ? JSON.stringify(keepOwnMappings(JSON.parse(text))) : contents)
}

const isEntry = ({ path }) => path === join(folder, 'server.js')

/** Replaces a file in one step: a concurrent reader gets the old or the new content. */
function replaceFile(path, contents) {
  writeFileSync(`${path}.part`, contents)
  renameSync(`${path}.part`, path)
}

/** `keepFileUrls` rewrites `import.meta.url` only. Other properties would silently change their value. */
function assertFileUrlsKept(files) {
  for (const { path, text } of files) {
    const [lost] = (!path.endsWith('.map') && /\bimport\.meta\.(?!url\b)\w+/.exec(text)) || []
    if (lost) throw new Error(`${relative(folder, path)} uses ${lost}, which has another value in a bundle: use import.meta.url.`)
  }
}

/** In a bundle, `await import()` of a CommonJS file has a default export only; in Node it also has named exports. */
function assertNamedImports({ inputs }) {
  for (const [importer, { imports }] of Object.entries(inputs)) {
    const lost = imports.find(({ kind, path }) => kind === 'dynamic-import' && inputs[path]?.format === 'cjs')
    if (lost)
      throw new Error(
        `${importer} imports ${lost.path} on demand, which is CommonJS: import it statically in another module, and that module on demand.`,
      )
  }
}

/** Removes the mappings of packages from a source map: reading them costs a fifth of a second at every start. */
function keepOwnMappings(map) {
  const isOurs = map.sources.map((source) => !source.includes('/node_modules/'))
  const lines = decode(map.mappings).map((line) => {
    let previousIsOurs = true
    return line.flatMap((segment) => {
      const segmentIsOurs = segment.length > 1 && isOurs[segment[1]]
      if (!segmentIsOurs && !previousIsOurs) return []
      previousIsOurs = segmentIsOurs
      return [segmentIsOurs ? segment.slice(0, 4) : [segment[0]]]
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

const keepExternal = {
  name: 'keep-external',
  setup({ onResolve, resolve }) {
    onResolve({ filter: externalPackages }, async ({ path, kind, resolveDir, importer, pluginData }) => {
      if (pluginData === 'keep-external') return undefined
      const resolved = await resolve(path, { kind, resolveDir, importer, pluginData: 'keep-external' })
      return resolved.errors.length > 0 ? resolved : { path: fromBundle(resolved.path), external: true }
    })
  },
}

/** Makes `import.meta.url` and `__dirname` point at the source file. Bundles what a file imports relative to its URL. */
const keepFileUrls = {
  name: 'keep-file-urls',
  setup({ onLoad }) {
    onLoad({ filter: /\.(ts|[cm]?js)$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8')
      if (!/import\.meta\.|\b__(dir|file)name\b/.test(source)) return undefined
      const urlOf = (file) => `new URL(${JSON.stringify(fromBundle(file))}, $here)`
      const contents = source
        .replaceAll(/import\(new URL\(('[^']+'), import\.meta\.url\)\.href\)/g, 'import($1)')
        .replaceAll('import.meta.url', `${urlOf(path)}.href`)
        .replaceAll(
          /(?<![\w.$'"])__(dir|file)name\b(?!['":])/g,
          (_, kind) => `require('node:url').fileURLToPath(${urlOf(kind === 'dir' ? dirname(path) : path)})`,
        )
      return { contents, loader: path.endsWith('.ts') ? 'ts' : 'js', resolveDir: dirname(path) }
    })
  },
}

/** Writes Prisma's query compiler as a file: as a string it would be 4.5 MB of source. */
const unpackQueryCompiler = {
  name: 'unpack-query-compiler',
  setup({ onLoad }) {
    onLoad({ filter: /query_compiler_\w+\.postgresql\.wasm-base64\.m?js$/ }, async ({ path }) => {
      const { wasm } = await import(pathToFileURL(path).href)
      const content = Buffer.from(wasm, 'base64')
      const name = `query-compiler-${createHash('sha256').update(content).digest('hex').slice(0, 8)}.wasm`
      replaceFile(join(folder, name), content)
      return { contents: `export const wasm = require('node:fs').readFileSync(new URL('./${name}', $here)).buffer` }
    })
  },
}
