import { chmod, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Log } from '@floorpass/api'

// The embedded database belongs to one process, so a backup of a running service is made by that process: it hands one to whoever opens
// this socket. The database's folder admits its own user alone, from before the socket is there.
const socketIn = (directory: string) => join(directory, 'backup.sock')

/** Hands out backups, one after the other, until `close`. Only after the database's lock was taken. `silence`: the milliseconds that a reader may pause. */
export async function serveBackups(
  directory: string,
  takeBackup: () => Promise<Readable>,
  log: Log,
  { silence = 60_000 } = {},
): Promise<{ close(): Promise<void> }> {
  const path = socketIn(directory)
  // What a killed process left.
  for (const left of [path, join(directory, 'backup')]) await rm(left, { recursive: true, force: true })
  const clients = new Set<Socket>()
  let last = Promise.resolve()

  async function hand(socket: Socket): Promise<void> {
    if (socket.destroyed) return
    try {
      const backup = await takeBackup()
      // Who hung up meanwhile: a pipeline to their socket would fail and leave the copy.
      if (socket.destroyed) return void backup.destroy()
      // Who does not read must not keep the copy on the disk. From here on: while it is made, there is nothing to read.
      socket.setTimeout(silence, () => socket.destroy())
      await pipeline(backup, socket)
      log.info({ bytes: socket.bytesWritten }, 'a backup was taken')
    } catch (error) {
      log.error({ err: error }, 'a backup could not be taken')
      socket.destroy()
    }
  }

  const server = createServer((socket) => {
    clients.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => clients.delete(socket))
    last = last.then(() => hand(socket))
  })
  const listening = Promise.withResolvers<boolean>()
  server.once('listening', () => listening.resolve(true))
  // A path that is too long for a socket, or a file system without them: the service works, and backups wait for its end.
  server.on('error', (error) => {
    log.warn({ reason: error.message }, 'backups can be taken while the service is stopped only')
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

/** A backup from the running service, perhaps cut off by its end; null when none runs there. */
export async function requestBackup(directory: string): Promise<Socket | null> {
  const socket = connect(socketIn(directory))
  const connected = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
  })
  return connected ? socket : null
}
