import pg from 'pg'

/** The connections of a pool. `longestWait`: the longest wait for one within the last minute or two, in seconds. */
export type PoolState = { open: number; idle: number; limit: number; waiting: number; longestWait: number }

type ConnectCallback = Parameters<pg.Pool['connect']>[0]

const windowMs = 60_000

export class MeasuredPool extends pg.Pool {
  readonly #waits = new Set<{ since: number }>()
  #windowEnds = 0
  #longestWaits: [number, number] = [0, 0]

  get state(): PoolState {
    this.#turnWindow()
    const [oldest] = this.#waits
    const waitsSince = oldest ? performance.now() - oldest.since : 0
    return {
      open: this.totalCount,
      idle: this.idleCount,
      limit: this.options.max,
      waiting: this.waitingCount,
      longestWait: Math.max(waitsSince, ...this.#longestWaits) / 1000,
    }
  }

  override connect(): Promise<pg.PoolClient>
  override connect(callback: ConnectCallback): undefined
  override connect(callback?: ConnectCallback): Promise<pg.PoolClient> | undefined {
    const wait = { since: performance.now() }
    this.#waits.add(wait)
    const end = () => {
      this.#waits.delete(wait)
      this.#turnWindow()
      this.#longestWaits[0] = Math.max(this.#longestWaits[0], performance.now() - wait.since)
    }
    if (!callback) return super.connect().finally(end)
    super.connect((...outcome) => {
      end()
      callback(...outcome)
    })
    return undefined
  }

  #turnWindow(): void {
    const now = performance.now()
    if (now < this.#windowEnds) return
    this.#longestWaits = [0, now < this.#windowEnds + windowMs ? this.#longestWaits[0] : 0]
    this.#windowEnds = now + windowMs
  }
}
