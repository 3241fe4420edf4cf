import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A way to a PostgreSQL server that can do to the connection which hears of changes what networks and poolers do. */
export type DatabaseProxy = {
  url: string
  /** From now on the connection stays open and carries nothing; so does every new one. */
  silence(): void
  /** Every connection that was silenced ends, new ones are carried. */
  restore(): void
  /** New connections lead to another database, as after a failover; those that are open stay. Its name is as long. */
  lead(databaseUrl: string): void
}

/** `deaf`: LISTEN succeeds and nothing is ever heard, as behind a pooler that shares connections between transactions. */
export async function databaseProxy(databaseUrl: string, { deaf = false } = {}): Promise<DatabaseProxy> {
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
      if (!(silent && listening.has(incoming))) incoming.write(bytes)
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
