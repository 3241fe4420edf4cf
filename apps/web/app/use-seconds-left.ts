import { useEffect, useState } from 'react'

/** Counts down from the answer of the service, since the clock of a device may be wrong. Null without JavaScript. `onEnd` is called at zero. */
export function useSecondsLeft(loaded: { secondsLeft: number }, onEnd: () => void): number | null {
  const [left, setLeft] = useState<number | null>(null)

  useEffect(() => {
    const start = performance.now()
    const count = () => setLeft(Math.max(0, Math.ceil(loaded.secondsLeft - (performance.now() - start) / 1000)))
    count()
    const timer = setInterval(count, 1000)
    document.addEventListener('visibilitychange', count)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', count)
    }
  }, [loaded])

  useEffect(() => {
    if (left === 0) onEnd()
  }, [left, onEnd])

  return left
}
