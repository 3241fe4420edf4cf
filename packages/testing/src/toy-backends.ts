import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { closeAfterFile } from './close-after-file.ts'
import { isInstalled, type RecipeProcess, recipes, startRecipe } from './recipe-process.ts'

export type Received = { method: string; url: string; headers: [name: string, value: string][] }

/** A backend behind a gateway. It believes its headers, and answers with what it received. */
export async function startEchoBackend(): Promise<{ port: number; received: Received[] }> {
  const received: Received[] = []
  const server = createServer(({ method = '', url = '', rawHeaders }, response) => {
    const headers = rawHeaders.flatMap((name, at): Received['headers'] =>
      at % 2 === 0 ? [[name.toLowerCase(), rawHeaders[at + 1] ?? '']] : [],
    )
    const call = { method, url, headers }
    received.push(call)
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(call))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closeAfterFile(async () => {
    server.close()
    server.closeAllConnections()
  })
  return { port: (server.address() as AddressInfo).port, received }
}

type Verifier = { isInstalled(): boolean; start(environment: Record<string, string>): Promise<RecipeProcess> }

const run = (environment: Record<string, string>, command: string, ...args: string[]): Promise<RecipeProcess> =>
  startRecipe((port) => ({ command, args, environment: { ...environment, PORT: String(port) } }))

/** Debian's Python is not always the first one. */
const pythons = ['python3', '/usr/bin/python3']
const findPython = () => pythons.find((python) => spawnSync(python, ['-c', 'import jwt, cryptography']).status === 0) ?? 'python3'

const gson = '/usr/share/java/gson.jar'

/** The backends of `docs/recipes` that verify access tokens. */
export const verifiers: Record<string, Verifier> = {
  'Node with jose': {
    isInstalled: () => true,
    start: (environment) => run(environment, process.execPath, `${recipes}verifier.mjs`),
  },
  'Python with PyJWT': {
    isInstalled: () => isInstalled('Python with PyJWT', findPython(), '-c', 'import jwt, cryptography'),
    start: (environment) => run(environment, findPython(), `${recipes}verifier.py`),
  },
  Go: {
    isInstalled: () => isInstalled('Go', 'go', 'version'),
    start(environment) {
      const folder = mkdtempSync(join(tmpdir(), 'floorpass-go-'))
      closeAfterFile(async () => rmSync(folder, { recursive: true, force: true }))
      const program = join(folder, 'verifier')
      const { status, stderr } = spawnSync('go', ['build', '-o', program, `${recipes}verifier.go`], { encoding: 'utf8' })
      if (status !== 0) throw new Error(stderr)
      return run(environment, program)
    },
  },
  'Java with Gson': {
    isInstalled: () => isInstalled('Java 17', 'java', '--version') && isInstalled('Gson', 'test', '-f', gson),
    start: (environment) => run(environment, 'java', '-XX:TieredStopAtLevel=1', '-cp', gson, `${recipes}Verifier.java`),
  },
}
