import type { EventEmitter } from 'node:events'
import type pg from 'pg'
import { type ChangeChannel, type ChangeListener, channelName, eventsChannelName } from './change-channel.ts'

/** Emits each notification as an event with the name of its channel. */
export type Notifications = EventEmitter<Record<string, [payload: string]>>

/** Listens to session changes in this process. A change arrives before the query that committed it returns. */
export function listenOnEmbedded(pool: pg.Pool, notifications: Notifications, listener: ChangeListener): ChangeChannel {
  let isUp = false
  const onEvents = () => listener.onEvents?.()
  notifications.on(channelName, listener.onChange).on(eventsChannelName, onEvents)
  const listening = pool.query(`LISTEN ${channelName}; LISTEN ${eventsChannelName}`).then(
    () => {
      isUp = true
      listener.onUp()
    },
    (error: Error) => listener.onDown(error.message),
  )
  return {
    isCurrent: () => isUp,
    flush: async () => {},
    async close() {
      await listening
      isUp = false
      notifications.off(channelName, listener.onChange).off(eventsChannelName, onEvents)
    },
  }
}
