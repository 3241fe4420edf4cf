import { chmod, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Log } from '@floorpass/api'

// The embedded database belongs to one process, so the running service makes its backups and writes one to each client of this socket.
const socketPath = (directory: string) => join(directory, 'backup.sock')

/** Serves backups one at a time until `close`. Take the database lock first. `silence`: the milliseconds that a reader may pause. */
export async function serveBackups(
  directory: string,
  takeBackup: () => Promise<Readable>,
  log: Log,
  { silence = 60_000 } = {},
): Promise<{ close(): Promise<void> }> {
  const path = socketPath(directory)
  for (const leftover of [path, join(directory, 'backup')]) await rm(leftover, { recursive: true, force: true })
  const clients = new Set<Socket>()
  let last = Promise.resolve()

  async function sendBackup(socket: Socket): Promise<void> {
    if (socket.destroyed) return
    try {
      const backup = await takeBackup()
      // The client hung up meanwhile. A pipeline to its socket would fail and leave the copy on the disk.
      if (socket.destroyed) return void backup.destroy()
      // A client that stops reading must not keep the copy on the disk. Start the timer now, when there is something to read.
      socket.setTimeout(silence, () => socket.destroy())
      await pipeline(backup, socket)
      log.info({ bytes: socket.bytesWritten }, 'backup taken')
    } catch (error) {
      log.error({ err: error }, 'backup failed')
      socket.destroy()
    }
  }

  const server = createServer((socket) => {
    clients.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => clients.delete(socket))
    last = last.then(() => sendBackup(socket))
  })
  const listening = Promise.withResolvers<boolean>()
  server.once('listening', () => listening.resolve(true))
  server.on('error', (error) => {
    log.warn({ reason: error.message }, 'backup socket unavailable: stop the service to take a backup')
    listening.resolve(false)
  })
  server.listen(path)
  server.unref()
  if (await listening.promise) await chmod(path, 0o600)
  return {
    close: async () => {
      for (const client of clients) client.destroy()
      if (server.listening) await new Promise((resolve) => server.close(resolve))
      await last
    },
  }
}

/** Returns a stream of a backup from the running service, or null if none runs. The stream is cut off if the service stops. */
export async function requestBackup(directory: string): Promise<Socket | null> {
  const socket = connect(socketPath(directory))
  const connected = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
  })
  return connected ? socket : null
}
