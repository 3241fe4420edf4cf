import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { closeAfterFile } from './close-after-file.ts'
import { isInstalled, type RecipeProcess, recipes, startRecipe } from './recipe-process.ts'

export const hasNginx = (): boolean => isInstalled('nginx', 'nginx', '-v')

/** nginx with the recipe in front of a service and a backend. */
export function startNginx(upstreams: { accounts: number; backend: number }): Promise<RecipeProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'floorpass-nginx-'))
  closeAfterFile(async () => rmSync(folder, { recursive: true, force: true }))
  return startRecipe((port) => {
    const ports = { '127.0.0.1:3000': `127.0.0.1:${upstreams.accounts}`, '127.0.0.1:8080': `127.0.0.1:${upstreams.backend}` }
    const site = Object.entries({ ...ports, 'listen 8000': `listen 127.0.0.1:${port}` }).reduce(
      replaceOnce,
      readFileSync(`${recipes}nginx.conf`, 'utf8'),
    )
    writeFileSync(join(folder, 'site.conf'), site)
    writeFileSync(join(folder, 'nginx.conf'), mainFile)
    return { command: 'nginx', args: ['-p', folder, '-e', 'stderr', '-c', 'nginx.conf'] }
  })
}

function replaceOnce(text: string, [from, to]: [string, string]): string {
  const parts = text.split(from)
  if (parts.length !== 2) throw new Error(`nginx.conf has ${parts.length - 1} times ${from}`)
  return parts.join(to)
}

/** What Debian's own nginx.conf sets, in the folder of the test. */
const mainFile = `
daemon off;
${process.getuid?.() === 0 ? 'user root;' : ''}
pid nginx.pid;
error_log stderr error;
events {}
http {
  access_log off;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  include site.conf;
}
`
