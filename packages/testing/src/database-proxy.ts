import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A way to a PostgreSQL server that can do what networks and poolers do, most of it to the connection which hears of changes. */
export type DatabaseProxy = {
  url: string
  /** From now on nothing moves on the connections that are open, until it all does. */
  stall(): void
  flow(): void
  /** From now on the connection stays open and carries nothing; so does every new one. */
  silence(): void
  /** Every connection that was silenced ends, new ones are carried. */
  restore(): void
  /** New connections lead to another database, as after a failover; those that are open stay. Its name is as long. */
  lead(databaseUrl: string): void
}

/**
 * What a pooler that shares connections between transactions does. `deaf`: LISTEN succeeds and nothing is ever heard. `pooling`: it greets
 * as a process of its own.
 */
export async function databaseProxy(databaseUrl: string, { deaf = false, pooling = false } = {}): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  const listening = new Set<Socket>()
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
        incoming.destroy()
        outgoing.destroy()
      })
    }
    incoming.on('data', (bytes: Buffer) => {
      if (bytes.includes('floorpass sessions')) listening.add(incoming)
      if (silent && listening.has(incoming)) return
      // The same length: the frame around it stays right.
      const passed = bytes.toString('latin1').replace(`database\0${nameIn(target)}\0`, `database\0${led}\0`)
      outgoing.write(Buffer.from(deaf ? passed.replace('LISTEN floorpass_', 'LISTEN somewhere_') : passed, 'latin1'))
    })
    outgoing.on('data', (bytes: Buffer) => {
      if (silent && listening.has(incoming)) return
      const greeting = pooling ? bytes.indexOf(backendKeyData) : -1
      if (greeting >= 0) bytes.writeInt32BE(1, greeting + backendKeyData.length)
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
  }
}

/** Type and length of the message that names the server's process. */
const backendKeyData = Buffer.from('K\0\0\0\x0c', 'latin1')
