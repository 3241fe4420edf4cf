// Builds @floorpass/client and @floorpass/server for other repositories, and packs them: npm run packages [-- <folder>]
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { parse } from 'yaml'
import { declareRouter } from './declare-router.mjs'
import { fail } from './run.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const tarballs = resolve(process.argv[2] ?? join(root, 'build', 'packages'))
const { catalog } = parse(readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8'))
const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile)
const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, root)

/** Other repositories may resolve declarations with rules that know no `.ts` ending. */
const importJavaScript = (text) => text.replace(/(from |import\()(['"]\.\/[\w./-]+)\.ts(['"])/g, '$1$2.js$3')

function compile(folder, target, entries) {
  const program = ts.createProgram(entries, {
    ...options,
    noEmit: false,
    declaration: true,
    rewriteRelativeImportExtensions: true,
    // Node 20 and the browsers of its time.
    target: ts.ScriptTarget.ES2022,
    outDir: target,
    rootDir: join(folder, 'src'),
  })
  const sources = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(join(folder, 'src')))
  const router = sources.find(({ fileName }) => basename(fileName) === 'router.ts')
  const written = (name, text) =>
    router && basename(name) === 'router.d.ts' ? declareRouter(program, router) : importJavaScript(text)
  const problems = sources.flatMap((source) => {
    const { diagnostics } = program.emit(source, (name, text) => {
      mkdirSync(join(name, '..'), { recursive: true })
      writeFileSync(name, written(name, text))
    })
    return [...diagnostics, ...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)]
  })
  if (problems.length === 0) return
  const host = { getCanonicalFileName: (name) => name, getCurrentDirectory: () => root, getNewLine: () => '\n' }
  fail(
    `${relative(root, folder)} could not be compiled.`,
    ts.formatDiagnostics(problems, host),
    'Fix the errors, then run it again.',
  )
}

/** What npm reads: plain JavaScript with declarations, and versions instead of references to this workspace. */
function describe(folder) {
  const { private: _private, devDependencies: _tools, exports, dependencies = {}, ...rest } = readPackage(folder)
  const built = (source, ending) => source.replace('./src/', './').replace(/\.ts$/, ending)
  return {
    ...rest,
    license: 'MIT',
    ...(process.env.GITHUB_REPOSITORY && {
      repository: {
        type: 'git',
        url: `git+https://github.com/${process.env.GITHUB_REPOSITORY}.git`,
        directory: relative(root, folder),
      },
    }),
    sideEffects: false,
    engines: { node: '>=20' },
    publishConfig: { access: 'public' },
    exports: Object.fromEntries(
      Object.entries(exports).map(([path, source]) => [path, { types: built(source, '.d.ts'), default: built(source, '.js') }]),
    ),
    dependencies: Object.fromEntries(Object.keys(dependencies).map((name) => [name, `^${catalog[name]}`])),
  }
}

const readPackage = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

mkdirSync(tarballs, { recursive: true })
for (const folder of ['client', 'server'].map((name) => join(root, 'packages', name))) {
  const target = join(folder, 'build')
  rmSync(target, { recursive: true, force: true })
  compile(
    folder,
    target,
    Object.values(readPackage(folder).exports).map((source) => join(folder, source)),
  )
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(describe(folder), null, 2)}\n`)
  copyFileSync(join(root, 'LICENSE'), join(target, 'LICENSE'))
  copyFileSync(join(folder, 'README.md'), join(target, 'README.md'))
  execFileSync('npm', ['pack', '--silent', '--pack-destination', tarballs], {
    cwd: target,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
}
