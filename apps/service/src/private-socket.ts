import { chmod, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import type { Log } from '@floorpass/api'

type PrivateSocket = {
  serve(client: Socket): Promise<void>
  log: Log
  unavailable: string
}

/** Serves each client of a socket that only this user may reach. Take the database lock first. `close` ends the clients and awaits `serve`. */
export async function servePrivateSocket(
  path: string,
  { serve, log, unavailable }: PrivateSocket,
): Promise<{ close(): Promise<void> }> {
  await rm(path, { recursive: true, force: true })
  const clients = new Map<Socket, Promise<void>>()
  const server = createServer((client) => {
    client.on('error', () => {})
    const served = serve(client).finally(() => clients.delete(client))
    clients.set(client, served)
  })
  const listening = Promise.withResolvers<boolean>()
  server.once('listening', () => listening.resolve(true))
  server.on('error', (error) => {
    log.warn({ reason: error.message }, unavailable)
    listening.resolve(false)
  })
  server.listen(path)
  server.unref()
  if (await listening.promise) await chmod(path, 0o600)
  return {
    close: async () => {
      const closed = server.listening && new Promise((resolve) => server.close(resolve))
      const ending = [...clients.values()]
      for (const client of clients.keys()) client.destroy()
      await Promise.all([closed, ...ending])
    },
  }
}

export async function connectPrivateSocket(path: string): Promise<Socket | null> {
  const socket = connect(path)
  const connected = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
  })
  return connected ? socket : null
}
