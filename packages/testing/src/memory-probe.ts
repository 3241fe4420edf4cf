// Preloaded into a server that was spawned with an IPC channel and --expose-gc: to each message it answers with what its memory is once
// everything that could be collected has been.
import { setTimeout as delay } from 'node:timers/promises'

const { gc } = globalThis
if (!gc || !process.channel) throw new Error('the memory probe needs --expose-gc and an IPC channel')

process.on('message', async () => {
  // Twice: finalizers of the first release what the second collects.
  gc()
  await delay(500)
  gc()
  process.send?.(process.memoryUsage())
})
process.channel.unref()
