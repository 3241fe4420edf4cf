import { readdir, readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { vitePlugin as remix } from '@remix-run/dev'
import tailwindcss from '@tailwindcss/vite'
import { minify } from 'oxc-minify'
import { defineConfig, type Plugin, type Rollup } from 'vite'

export default defineConfig(({ isSsrBuild }) => ({
  plugins: [
    tailwindcss(),
    remix({
      future: {
        v3_fetcherPersist: true,
        // Some twenty small routes: one manifest costs less than a request per link seen.
        v3_lazyRouteDiscovery: false,
        v3_relativeSplatPath: true,
        v3_singleFetch: true,
        v3_throwAbortReason: true,
      },
    }),
    ...(isSsrBuild ? [precompress] : [plainImports, shrink]),
  ],
  build: {
    // A service may run from it: see scripts/drop-superseded.mjs.
    emptyOutDir: false,
    assetsInlineLimit: 0,
    // Both await at the top of a module.
    target: isSsrBuild ? 'node24' : 'es2022',
    // The pages and server.ts must share one instance of each package: AppError is recognised by `instanceof`. (`ssr.external`
    // cannot say so: Vite bundles what resolves to a .ts file.)
    rollupOptions: isSsrBuild
      ? { external: /^@floorpass\// }
      : // The sign-in page loads the manifest of all routes: their names would make it longer.
        { output: { manualChunks: chunkOf, entryFileNames: 'assets/[hash].js' } },
  },
}))

/**
 * The framework changes rarely; the components and what they stand on are small and most pages need most of them. A file for each of these
 * and one for what only the pages behind the sign-in show, not a dozen requests.
 */
function chunkOf(id: string, { getModuleInfo }: { getModuleInfo: Rollup.GetModuleInfo }): string | undefined {
  // A ceremony loads it.
  if (/\/passkey\.client\.ts$|\/@simplewebauthn\//.test(id)) return 'passkey'
  // The choice of a file loads it.
  if (id.endsWith('/app/picture-crop.tsx')) return 'picture-crop'
  // Only pages behind the sign-in draw icons.
  if (id.includes('/@heroicons/')) return 'inside'
  if (id.includes('/node_modules/')) return 'framework'
  // The sign-in page, which must be light, chooses no password, sends no mail, asks nothing twice, shows no role and is opened by no mailed link.
  if (
    /\/app\/(components\/(new-password-field|confirm-button|check-your-mail|local-mailbox|mail-address|code-field|dead-link|bullet-list)\.tsx|(hide-token|form-result|organization-roles)\.ts)$/.test(
      id,
    )
  )
    return 'sign-up'
  if (!/\/app\/(components\/)?[^/]+\.tsx?$/.test(id) || /\/app\/(root|entry\.client|mailed-text)\.tsx?$/.test(id))
    return undefined
  const isInside = (module: string): boolean => {
    const importers = getModuleInfo(module)?.importers ?? []
    return importers.length > 0 && importers.every((importer) => importer.includes('/app/routes/_app') || isInside(importer))
  }
  return isInside(id) ? 'inside' : 'components'
}

/** A module that is imported on demand shares its dependencies with the page, so there is nothing to preload: half a kilobyte less. */
const plainImports: Plugin = {
  name: 'plain-imports',
  enforce: 'pre',
  load: (id) => (id === '\0vite/preload-helper.js' ? 'export const __vitePreload = (load) => load()' : undefined),
}

/** After Vite's own minifier, one that also folds what only whole modules tell: four kilobytes less of the framework, compressed. */
const shrink: Plugin = {
  name: 'shrink',
  apply: 'build',
  renderChunk: {
    order: 'post',
    async handler(code, { fileName }) {
      const { code: smaller, errors } = await minify(fileName, code, {
        module: true,
        compress: { target: 'es2022' },
        mangle: { toplevel: true },
      })
      if (errors[0]) throw new Error(`${fileName}: ${errors[0].message}`)
      return { code: smaller, map: null }
    },
  },
}

/** Writes compressed copies of the browser's files, after the server's build, which writes the route manifest. */
const precompress: Plugin = {
  name: 'precompress',
  apply: 'build',
  async closeBundle() {
    const folder = fileURLToPath(new URL('./build/client/assets/', import.meta.url))
    const files = (await readdir(folder)).filter((name) => /\.(css|js|svg)$/.test(name))
    await Promise.all(
      files.map(async (name) => {
        const content = await readFile(folder + name)
        await Promise.all([
          writeFile(`${folder}${name}.br`, brotliCompressSync(content)),
          writeFile(`${folder}${name}.gz`, gzipSync(content, { level: 9 })),
        ])
      }),
    )
  },
}
