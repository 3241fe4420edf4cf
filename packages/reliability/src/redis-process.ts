import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { acceptsConnections } from './postgres-cluster.ts'
import { onRunEnd } from './run-end.ts'
import { freePort } from './service-process.ts'

/** A disposable Redis server without persistence. */
export type RedisProcess = {
  url: string
  start(): Promise<void>
  stop(): Promise<void>
  freeze(): void
  thaw(): void
}

export function findRedis(): string | null {
  const folders = (process.env.PATH ?? '').split(delimiter)
  const files = ['redis-server', 'valkey-server'].flatMap((name) => folders.map((folder) => join(folder, name)))
  return files.find((file) => existsSync(file)) ?? null
}

/** `settings` are options of redis.conf, such as `['--requirepass', 'secret']`, by the port. */
export async function startRedis(binary: string, settings: (port: number) => string[] = () => []): Promise<RedisProcess> {
  const port = await freePort()
  let server: ChildProcess | undefined
  onRunEnd(() => server?.kill('SIGKILL'))
  const start = async () => {
    const basics = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
    server = spawn(binary, [...basics, ...settings(port)], { cwd: tmpdir(), stdio: 'ignore' })
    while (!(await acceptsConnections(port))) {
      if (server.exitCode !== null) throw new Error(`redis-server exited with code ${server.exitCode}`)
      await delay(20)
    }
  }
  await start()
  return {
    url: `redis://127.0.0.1:${port}`,
    start,
    async stop() {
      if (!server || server.exitCode !== null || server.signalCode !== null) return
      const gone = once(server, 'exit')
      server.kill('SIGKILL')
      await gone
    },
    freeze: () => void server?.kill('SIGSTOP'),
    thaw: () => void server?.kill('SIGCONT'),
  }
}
