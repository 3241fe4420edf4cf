import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const icons = new URL('../../../apps/web/public/', import.meta.url)
export const pngFile = fileURLToPath(new URL('apple-touch-icon.png', icons))
export const icoFile = fileURLToPath(new URL('favicon.ico', icons))

const svg = (width: number) =>
  `<?xml version="1.0"?>\n<!-- A logo. -->\n<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} 40"><script>alert(1)</script><rect width="${width}" height="40" rx="8" style="fill:#7a1fa2"/><circle cx="20" cy="20" r="10" fill="#fff"/></svg>`

/** A logo of 40 by 40, one that is four times as wide, and a file that is no image. */
export async function createBrandFiles() {
  const folder = await mkdtemp(join(tmpdir(), 'floorpass-brand-'))
  const write = async (name: string, content: string | Buffer) => {
    await writeFile(join(folder, name), content)
    return join(folder, name)
  }
  return {
    write,
    mark: await write('mark.svg', svg(40)),
    wordmark: await write('wordmark.svg', svg(160)),
    remove: () => rm(folder, { recursive: true }),
  }
}
