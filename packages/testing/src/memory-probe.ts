// Preloaded into a server with an IPC channel and --expose-gc.
// Answers each message with the memory use after a full collection.
import { setTimeout as delay } from 'node:timers/promises'

const { gc } = globalThis
if (!gc || !process.channel) throw new Error('the memory probe needs --expose-gc and an IPC channel')

process.on('message', async () => {
  // Twice: finalizers of the first run release what the second collects.
  gc()
  await delay(500)
  gc()
  process.send?.(process.memoryUsage())
})
process.channel.unref()
