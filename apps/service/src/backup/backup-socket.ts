import { rm } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Log } from '@floorpass/api'
import { connectPrivateSocket, servePrivateSocket } from '../private-socket.ts'

// The embedded database belongs to one process, so the running service makes its backups and writes one to each client of this socket.
const socketPath = (directory: string) => join(directory, 'backup.sock')

/** Serves backups one at a time until `close`. Take the database lock first. `silence`: the milliseconds that a reader may pause. */
export async function serveBackups(
  directory: string,
  takeBackup: () => Promise<Readable>,
  log: Log,
  { silence = 60_000 } = {},
): Promise<{ close(): Promise<void> }> {
  await rm(join(directory, 'backup'), { recursive: true, force: true })
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

  return servePrivateSocket(socketPath(directory), {
    serve(client) {
      last = last.then(() => sendBackup(client))
      return last
    },
    log,
    unavailable: 'backup socket unavailable: stop the service to take a backup',
  })
}

/** Returns a stream of a backup from the running service, or null if none runs. The stream is cut off if the service stops. */
export const requestBackup = (directory: string): Promise<Socket | null> => connectPrivateSocket(socketPath(directory))
