import { readFileSync } from 'node:fs'

const read = (url: URL): string => readFileSync(url, 'utf8')

/** What the reference loads, by path. Read at the first request. */
export const pageFiles: Record<string, { type: string; read(): string }> = {
  '/auth/reference/style.css': {
    type: 'text/css; charset=utf-8',
    read: () => read(new URL('./page-style.css', import.meta.url)),
  },
  '/auth/reference/script.js': {
    type: 'text/javascript; charset=utf-8',
    read: () => read(new URL('./page-script.mjs', import.meta.url)),
  },
}
