import { useSyncExternalStore } from 'react'

const never = () => () => {}

/** Whether the scripts of the page are at work: what only they can do is not shown before, nor without JavaScript. */
export const useHydrated = (): boolean =>
  useSyncExternalStore(
    never,
    () => true,
    () => false,
  )
