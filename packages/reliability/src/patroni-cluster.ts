import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { delimiter, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { acceptsConnections, findServerOwner, listChildren, signalIfRunning, stopServer, withOwner } from './postgres-cluster.ts'
import { createFolder, onRunEnd } from './run-end.ts'
import { freePort } from './service-process.ts'

const configuration = fileURLToPath(new URL('../../../deploy/high-availability/', import.meta.url))
const password = 'an ordinary password of a test'

export type PatroniPrograms = { patroni: string; etcd: string; haproxy: string; postgres: string }

export type PatroniNode = {
  name: string
  port: number
  start(): void
  kill(): void
  /** Kills Patroni only: PostgreSQL goes on as it is. */
  killPatroni(): void
  /** Stops every process of the node, as a hypervisor that pauses it. */
  freeze(): void
  thaw(): void
  /** Cuts the node off etcd. */
  cut(): void
  heal(): void
}

/** Three nodes below one etcd, and an HAProxy that leads to the primary. */
export type PatroniCluster = {
  version: string
  nodes: readonly PatroniNode[]
  /** Creates an empty database. `hosts` names every node, `proxy` names HAProxy. */
  createDatabase(): Promise<{ hosts: string; proxy: string }>
  /** The node that Patroni takes for the primary, or null. Does not ask `except`, which may be frozen. */
  findPrimary(except?: PatroniNode): Promise<PatroniNode | null>
  /** Waits until one primary, a synchronous standby and another standby run. */
  waitUntilWhole(): Promise<void>
  primaryUrl(database: string): Promise<string>
}

export function findPatroni(postgres: string | null): PatroniPrograms | null {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/bin']
  const find = (name: string) => folders.map((folder) => join(folder, name)).find((file) => existsSync(file))
  const [patroni, etcd, haproxy] = ['patroni', 'etcd', 'haproxy'].map(find)
  return patroni && etcd && haproxy && postgres ? { patroni, etcd, haproxy, postgres } : null
}

export async function startPatroniCluster(programs: PatroniPrograms): Promise<PatroniCluster> {
  const directory = createFolder('patroni')
  const owner = findServerOwner()
  if (owner) chownSync(directory, owner.uid, owner.gid)
  const children = new Set<ChildProcess>()
  const nodes: (PatroniNode & { restPort: number; stopServer(): void })[] = []
  onRunEnd(() => {
    for (const child of children) child.kill('SIGKILL')
    for (const node of nodes) node.stopServer()
    killProcessesOf(directory)
  })
  const run = (program: string, args: readonly string[], env: Record<string, string> = {}) => {
    const child = spawn(program, args, {
      ...owner,
      cwd: directory,
      env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8', ...env },
      stdio: 'ignore',
    })
    children.add(child)
    return child
  }

  const [etcdPort, peerPort, proxyPort] = [await freePort(), await freePort(), await freePort()]
  const [client, peer] = [`http://127.0.0.1:${etcdPort}`, `http://127.0.0.1:${peerPort}`]
  run(programs.etcd, [
    ...['--name', 'etcd', '--data-dir', join(directory, 'etcd'), '--log-level', 'error'],
    ...['--listen-client-urls', client, '--advertise-client-urls', client],
    ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer, '--initial-cluster', `etcd=${peer}`],
  ])
  while (!(await acceptsConnections(etcdPort))) await delay(50)

  const startNode = async (name: string) => {
    const [port, restPort] = [await freePort(), await freePort()]
    const link = await startLink(etcdPort)
    const folder = join(directory, name)
    await mkdir(folder)
    if (owner) chownSync(folder, owner.uid, owner.gid)
    const data = join(folder, 'data')
    let patroni: ChildProcess | undefined
    const postmaster = () => {
      try {
        return Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n', 1)[0])
      } catch {
        return undefined
      }
    }
    const signalAll = (signal: NodeJS.Signals) => {
      const pid = postmaster()
      for (const each of [patroni?.pid, pid, ...listChildren(pid)]) if (each) signalIfRunning(each, signal)
    }
    const node = {
      name,
      port,
      restPort,
      start() {
        patroni = run(programs.patroni, [join(configuration, 'patroni.yml')], {
          PATRONI_NAME: name,
          PATRONI_RESTAPI_LISTEN: `127.0.0.1:${restPort}`,
          PATRONI_RESTAPI_CONNECT_ADDRESS: `127.0.0.1:${restPort}`,
          PATRONI_POSTGRESQL_LISTEN: `127.0.0.1:${port}`,
          PATRONI_POSTGRESQL_CONNECT_ADDRESS: `127.0.0.1:${port}`,
          PATRONI_POSTGRESQL_DATA_DIR: data,
          PATRONI_POSTGRESQL_BIN_DIR: programs.postgres,
          PATRONI_POSTGRESQL_PGPASS: join(folder, 'pgpass'),
          PATRONI_ETCD3_HOSTS: `127.0.0.1:${link.port}`,
          // Keep to the link, which can be cut, instead of the address that etcd announces.
          PATRONI_ETCD3_USE_PROXIES: 'true',
          PATRONI_SUPERUSER_PASSWORD: password,
          PATRONI_REPLICATION_PASSWORD: password,
          PATRONI_REWIND_PASSWORD: password,
        })
      },
      kill() {
        const pid = postmaster()
        patroni?.kill('SIGKILL')
        if (pid) signalIfRunning(pid, 'SIGKILL')
      },
      killPatroni: () => void patroni?.kill('SIGKILL'),
      freeze: () => signalAll('SIGSTOP'),
      thaw: () => signalAll('SIGCONT'),
      cut: link.cut,
      heal: link.heal,
      stopServer() {
        signalAll('SIGCONT')
        stopServer(programs.postgres, data, { ...owner, cwd: directory })
      },
    }
    nodes.push(node)
    node.start()
    return node
  }
  const [a, b, c] = [await startNode('a'), await startNode('b'), await startNode('c')] as const
  run(programs.haproxy, ['-f', join(configuration, 'haproxy.cfg'), '-db'], {
    BIND: `127.0.0.1:${proxyPort}`,
    ...{ NODE_A: `127.0.0.1:${a.port}`, REST_A: String(a.restPort) },
    ...{ NODE_B: `127.0.0.1:${b.port}`, REST_B: String(b.restPort) },
    ...{ NODE_C: `127.0.0.1:${c.port}`, REST_C: String(c.restPort) },
  })

  const asks = (port: number, path: string) =>
    fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(2_000) }).then(
      ({ status }) => status === 200,
      () => false,
    )
  const filter = async (path: string, except?: PatroniNode) => {
    const asked = nodes.filter(({ name }) => name !== except?.name)
    const answers = await Promise.all(asked.map(({ restPort }) => asks(restPort, path)))
    return asked.filter((_, index) => answers[index])
  }
  const findPrimary = async (except?: PatroniNode) => (await filter('/primary', except))[0] ?? null
  const waitUntilWhole = async () => {
    for (const end = Date.now() + 120_000; ; await delay(200)) {
      const [primaries, synchronous] = [await filter('/primary'), await filter('/sync')]
      // A standby that is being promoted answers to both.
      const standbys = (await filter('/replica')).filter((node) => !primaries.includes(node))
      if (primaries.length === 1 && standbys.length === 2 && synchronous.length >= 1) return
      if (Date.now() > end) {
        const names = (found: readonly PatroniNode[]) => found.map(({ name }) => name).join(' ') || 'none'
        throw new Error(
          `cluster not whole: primary ${names(primaries)}, standbys ${names(standbys)}, synchronous ${names(synchronous)}`,
        )
      }
    }
  }
  const secret = encodeURIComponent(password)
  const primaryUrl = async (database: string) => {
    const primary = await findPrimary()
    if (!primary) throw new Error('the cluster has no primary')
    return `postgres://postgres:${secret}@127.0.0.1:${primary.port}/${database}`
  }

  await waitUntilWhole()
  let databases = 0
  return {
    version: execFileSync(programs.patroni, ['--version'], { encoding: 'utf8' }).trim(),
    nodes,
    findPrimary,
    waitUntilWhole,
    primaryUrl,
    async createDatabase() {
      databases += 1
      const name = `floorpass_${databases}`
      await withOwner(await primaryUrl('postgres'), async (execute) => {
        if (databases === 1) await execute(`CREATE ROLE floorpass LOGIN PASSWORD '${password}'`)
        await execute(`CREATE DATABASE ${name} OWNER floorpass`)
      })
      const login = `postgres://floorpass:${secret}`
      return {
        hosts: `${login}@${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}/${name}?target_session_attrs=read-write`,
        proxy: `${login}@127.0.0.1:${proxyPort}/${name}`,
      }
    },
  }
}

/** Kills what Patroni has started, such as a copy of the primary: it outlives Patroni, and its command line names the folder. */
function killProcessesOf(directory: string): void {
  const { stdout } = spawnSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' })
  const lines = stdout.split('\n').filter((line) => line.includes(directory))
  for (const line of lines) signalIfRunning(Number.parseInt(line, 10), 'SIGKILL')
}

/** A TCP forwarder that can be cut, for the network between a node and etcd. */
async function startLink(target: number) {
  const sockets = new Set<Socket>()
  let isCut = false
  const server = createServer((near) => {
    if (isCut) return void near.destroy()
    const far = connect(target, '127.0.0.1')
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket
        .on('error', () => {})
        .on('close', () => {
          sockets.delete(socket)
          near.destroy()
          far.destroy()
        })
    }
    near.pipe(far).pipe(near)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const destroyAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: (server.address() as { port: number }).port,
    cut() {
      isCut = true
      destroyAll()
    },
    heal() {
      isCut = false
    },
  }
}
