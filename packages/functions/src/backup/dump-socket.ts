import { chmod, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { Log } from '@floorpass/api'

// The embedded database belongs to one process, so a backup of a running service is made by that process: it hands a dump to whoever
// opens this socket, which only its own user can.
const socketIn = (dataDir: string) => join(dataDir, 'backup.sock')

/** Hands out dumps, each as its length (8 bytes) and its bytes, until `close`. Only after the database's lock was taken. */
export async function serveDumps(dataDir: string, dump: () => Promise<Blob>, log: Log): Promise<{ close(): Promise<void> }> {
  const path = socketIn(dataDir)
  // What a killed process left.
  await rm(path, { force: true })
  const clients = new Set<Socket>()
  // A dump holds the whole database in memory: who asks meanwhile gets the same one.
  let dumping: Promise<Blob> | undefined
  const server = createServer((socket) => {
    clients.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => clients.delete(socket))
    dumping ??= dump().finally(() => {
      dumping = undefined
    })
    void dumping.then(
      async (blob) => {
        const bytes = Buffer.from(await blob.arrayBuffer())
        const length = Buffer.alloc(8)
        length.writeBigUInt64BE(BigInt(bytes.length))
        socket.end(Buffer.concat([length, bytes]))
        log.info({ bytes: bytes.length }, 'a backup was taken')
      },
      (error: unknown) => {
        log.error({ err: error }, 'a backup could not be taken')
        socket.destroy()
      },
    )
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
    close: () =>
      new Promise((resolve) => {
        if (!server.listening) return resolve()
        for (const client of clients) client.destroy()
        server.close(() => resolve())
      }),
  }
}

/** A dump from the running service; null when none runs there. Rejects when it fails. */
export async function requestDump(dataDir: string): Promise<Buffer | null> {
  const socket = connect(socketIn(dataDir))
  const connected = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
  })
  if (!connected) return null
  const bytes = await buffer(socket)
  if (bytes.length < 8 || BigInt(bytes.length - 8) !== bytes.readBigUInt64BE(0))
    throw new Error('the running service could not dump its database: its log says why')
  return bytes.subarray(8)
}
