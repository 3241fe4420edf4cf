import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@floorpass/reliability'
import { closeAfterFile } from './close-after-file.ts'
import { isInstalled, type RecipeProcess, recipes, startRecipe } from './recipe-process.ts'

export const hasCaddy = (): boolean => isInstalled('Caddy', 'caddy', 'version')

/** Caddy with the recipe in front of a service and a backend. */
export async function startCaddy({ accounts, backend }: { accounts: number; backend: number }): Promise<RecipeProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'floorpass-caddy-'))
  closeAfterFile(async () => rmSync(folder, { recursive: true, force: true }))
  const adminPort = await freePort()
  return startRecipe((port) => ({
    command: 'caddy',
    args: ['run', '--config', `${recipes}Caddyfile`, '--adapter', 'caddyfile'],
    environment: {
      SITE: `http://:${port}`,
      ACCOUNTS: `127.0.0.1:${accounts}`,
      BACKEND: `127.0.0.1:${backend}`,
      CADDY_ADMIN: `127.0.0.1:${adminPort}`,
      HOME: folder,
    },
  }))
}
