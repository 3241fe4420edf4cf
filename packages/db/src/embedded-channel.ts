import type { PGlite } from '@electric-sql/pglite'
import { type ChangeChannel, type ChangeListener, channelName } from './change-channel.ts'

/** Listens to session changes in this process. A change arrives before the query that committed it returns. */
export function listenOnEmbedded(client: PGlite, listener: ChangeListener): ChangeChannel {
  let isUp = false
  const listening = client.listen(channelName, listener.onChange).then(
    (stopListening) => {
      isUp = true
      listener.onUp()
      return stopListening
    },
    (error: Error) => listener.onDown(error.message),
  )
  return {
    isCurrent: () => isUp,
    flush: async () => {},
    async close() {
      const stopListening = await listening
      isUp = false
      await stopListening?.()
    },
  }
}
