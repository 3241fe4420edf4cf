import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { acceptsConnections } from './postgres-cluster.ts'
import { onRunEnd } from './run-end.ts'
import { freePort } from './service-process.ts'

const configuration = fileURLToPath(new URL('../../../deploy/high-availability/', import.meta.url))

/** A primary and two replicas of Redis below three sentinels. */
export type SentinelCluster = {
  environment: { REDIS_URL: string; REDIS_SENTINELS: string }
  waitUntilWhole(): Promise<void>
  /** Kills the primary. Resolves to what starts it again. */
  killPrimary(): Promise<() => void>
  remove(): void
}

export async function startSentinelCluster(binary: string, folder: string): Promise<SentinelCluster> {
  const children = new Map<number, ChildProcess>()
  const end = onRunEnd(() => {
    for (const child of children.values()) child.kill('SIGKILL')
  })
  const launch = (port: number, ...args: string[]) =>
    void children.set(port, spawn(binary, args, { cwd: folder, stdio: 'ignore' }))
  const waitFor = async (port: number) => {
    while (!(await acceptsConnections(port))) await delay(20)
  }
  const copy = async (file: string, port: number, change: (text: string) => string, ...lines: string[]) => {
    const own = join(folder, String(port))
    await mkdir(own)
    const text = change(await readFile(join(configuration, file), 'utf8'))
    await writeFile(join(own, file), [text, `port ${port}`, 'bind 127.0.0.1', `dir ${own}`, ...lines, ''].join('\n'))
    return join(own, file)
  }

  const ports = [await freePort(), await freePort(), await freePort()]
  const [first] = ports as [number]
  const files = new Map<number, string>()
  for (const port of ports) {
    const replication = port === first ? [] : [`replicaof 127.0.0.1 ${first}`]
    files.set(port, await copy('redis.conf', port, (text) => text, ...replication))
    launch(port, files.get(port) as string)
    await waitFor(port)
  }
  const sentinels = [await freePort(), await freePort(), await freePort()]
  for (const port of sentinels) {
    launch(port, await copy('sentinel.conf', port, (text) => text.replace('redis-a 6379', `127.0.0.1 ${first}`)), '--sentinel')
    await waitFor(port)
  }
  const [sentinel] = sentinels as [number]

  const cluster: SentinelCluster = {
    environment: {
      REDIS_URL: 'redis://floorpass',
      REDIS_SENTINELS: sentinels.map((port) => `redis://127.0.0.1:${port}`).join(','),
    },
    async waitUntilWhole() {
      for (const end = Date.now() + 60_000; ; await delay(200)) {
        const fields = (await sendCommand(sentinel, 'SENTINEL master floorpass')).split('\r\n')
        const get = (name: string) => fields[fields.indexOf(name) + 2]
        const replicas = (await sendCommand(sentinel, 'SENTINEL replicas floorpass')).split('\r\n')
        const getAll = (name: string) => replicas.flatMap((field, index) => (field === name ? (replicas[index + 2] ?? '') : []))
        const [flags, links] = [getAll('flags'), getAll('master-link-status')]
        const isReplicating = flags.every((each) => each === 'slave') && links.every((each) => each === 'ok')
        // A former primary that starts again is a primary until a sentinel has changed it.
        const isWhole =
          flags.length === 2 &&
          isReplicating &&
          getAll('role-reported').every((each) => each === 'slave') &&
          get('flags') === 'master'
        if (isWhole && get('num-other-sentinels') === '2') return
        if (Date.now() > end) throw new Error(`sentinels see a primary that is ${get('flags')}, replicas that are ${flags}`)
      }
    },
    async killPrimary() {
      const address = await sendCommand(sentinel, 'SENTINEL get-master-addr-by-name floorpass')
      const port = Number(address.split('\r\n')[4])
      children.get(port)?.kill('SIGKILL')
      return () => launch(port, files.get(port) as string)
    },
    remove: end,
  }
  await cluster.waitUntilWhole()
  return cluster
}

async function sendCommand(port: number, command: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let answer = ''
  socket.on('data', (chunk: Buffer) => {
    answer += chunk
  })
  socket.end(`${command}\r\nQUIT\r\n`)
  await once(socket, 'close')
  return answer
}
