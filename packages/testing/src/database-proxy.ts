import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A proxy to PostgreSQL that imitates network and pooler faults, most of them on the session invalidation channel. */
export type DatabaseProxy = {
  url: string
  /** Holds all traffic of the open connections until released. */
  stall(): void
  flow(): void
  /** Keeps the channel connection open but drops its traffic, and that of every new one. */
  silence(): void
  /** Closes every silenced connection; new ones carry traffic again. */
  restore(): void
  /** Sends new connections to another database, as after a failover. Open ones stay. Both names have the same length. */
  lead(databaseUrl: string): void
  /** How many connections are open that gave this application_name. */
  connectionsOf(application: string): number
}

/**
 * Imitates a transaction pooler. `deaf`: LISTEN succeeds but no notification arrives. `pooling`: reports the pooler's own process id.
 * `reports: false`: does not report whether the server is a standby or read-only, as before PostgreSQL 14.
 */
export async function databaseProxy(
  databaseUrl: string,
  { deaf = false, pooling = false, reports = true } = {},
): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  const listening = new Set<Socket>()
  const applications = new Map<Socket, string>()
  const nameIn = (address: URL | string) => new URL(address).pathname.slice(1)
  let led = nameIn(target)
  let silent = false

  const server = createServer((incoming) => {
    const outgoing = connect(Number(target.port || 5432), target.hostname)
    for (const socket of [incoming, outgoing]) {
      sockets.add(socket)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        applications.delete(socket)
        incoming.destroy()
        outgoing.destroy()
      })
    }
    incoming.on('data', (bytes: Buffer) => {
      const application = /application_name\0([^\0]+)\0/.exec(bytes.toString('latin1'))?.[1]
      if (application) applications.set(incoming, application)
      if (application === 'floorpass sessions') listening.add(incoming)
      if (silent && listening.has(incoming)) return
      // The new name has the same length, so the length field of the frame stays valid.
      const passed = bytes.toString('latin1').replace(`database\0${nameIn(target)}\0`, `database\0${led}\0`)
      outgoing.write(Buffer.from(deaf ? passed.replace('LISTEN floorpass_', 'LISTEN somewhere_') : passed, 'latin1'))
    })
    outgoing.on('data', (bytes: Buffer) => {
      if (silent && listening.has(incoming)) return
      const greeting = pooling ? bytes.indexOf(backendKeyData) : -1
      if (greeting >= 0) bytes.writeInt32BE(1, greeting + backendKeyData.length)
      for (const setting of reports ? [] : ['in_hot_standby', 'default_transaction_read_only']) {
        const start = bytes.indexOf(`${setting}\0`)
        if (start >= 0) bytes.write('x', start)
      }
      incoming.write(bytes)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const url = new URL(databaseUrl)
  url.hostname = '127.0.0.1'
  url.port = String(typeof address === 'object' ? address?.port : '')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return {
    url: url.href,
    stall: () => {
      for (const socket of sockets) socket.pause()
    },
    flow: () => {
      for (const socket of sockets) socket.resume()
    },
    silence: () => {
      silent = true
    },
    restore: () => {
      silent = false
      for (const socket of listening) socket.destroy()
      listening.clear()
    },
    lead: (databaseUrl) => {
      led = nameIn(databaseUrl)
    },
    connectionsOf: (application) => [...applications.values()].filter((one) => one === application).length,
  }
}

/** Type and length of BackendKeyData, which carries the id of the server process. */
const backendKeyData = Buffer.from('K\0\0\0\x0c', 'latin1')
