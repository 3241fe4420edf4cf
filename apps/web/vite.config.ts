import { readdir, readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { vitePlugin as remix } from '@remix-run/dev'
import tailwindcss from '@tailwindcss/vite'
import { defineConfig, type Plugin } from 'vite'

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
    ...(isSsrBuild ? [precompress] : []),
  ],
  build: {
    assetsInlineLimit: 0,
    // Both await at the top of a module.
    target: isSsrBuild ? 'node24' : 'es2022',
    // The pages and server.ts must share one instance of each package: AppError is recognised by `instanceof`. (`ssr.external`
    // cannot say so: Vite bundles what resolves to a .ts file.)
    rollupOptions: isSsrBuild ? { external: /^@floorpass\// } : { output: { manualChunks: chunkOf } },
  },
}))

/** The framework changes rarely; the components are small and most pages need most of them. One file each, not a dozen requests. */
function chunkOf(id: string): string | undefined {
  if (id.includes('/node_modules/')) return 'framework'
  return id.includes('/app/components/') ? 'components' : undefined
}

/**
 * Next to each file for the browser its compressed forms, for a server that sends them as they are. At the end of the server's build:
 * it is that one that writes the manifest of the routes.
 */
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
          writeFile(`${folder}${name}.gz`, gzipSync(content)),
        ])
      }),
    )
  },
}
