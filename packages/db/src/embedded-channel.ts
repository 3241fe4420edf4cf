import type { PGlite } from '@electric-sql/pglite'
import { type ChangeChannel, type ChangeListener, channelName, eventsChannelName } from './change-channel.ts'

/** Listens to session changes in this process. A change arrives before the query that committed it returns. */
export function listenOnEmbedded(client: PGlite, listener: ChangeListener): ChangeChannel {
  let isUp = false
  const listening = Promise.all([
    client.listen(channelName, listener.onChange),
    client.listen(eventsChannelName, () => listener.onEvents?.()),
  ]).then(
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
      for (const stop of stopListening ?? []) await stop()
    },
  }
}
