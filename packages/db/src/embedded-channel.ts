import type { PGlite } from '@electric-sql/pglite'
import { type ChangeChannel, type ChangeListener, channelName } from './change-channel.ts'

/** Listens inside the one process that there is: a change is heard before the query that committed it returns. */
export function listenOnEmbedded(client: PGlite, listener: ChangeListener): ChangeChannel {
  let isUp = false
  const listening = client.listen(channelName, listener.onChange).then(
    () => {
      isUp = true
      listener.onUp()
    },
    (error: Error) => listener.onDown(error.message),
  )
  return {
    isCurrent: () => isUp,
    settle: async () => {},
    async close() {
      await listening
      isUp = false
    },
  }
}
