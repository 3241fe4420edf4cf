import { Duplex } from 'node:stream'
import type { PGlite } from '@electric-sql/pglite'

const terminate = 'X'.charCodeAt(0)

/**
 * The socket of a `pg` client that talks to the embedded engine. The engine has one session: use one client at a time.
 * A new client finds no transaction, prepared statement or setting of the one before it. LISTEN stays.
 */
export class EmbeddedConnection extends Duplex {
  readonly #engine: PGlite

  constructor(engine: PGlite) {
    super()
    this.#engine = engine
  }

  /** Methods of a socket that `pg` calls. */
  connect(): void {
    process.nextTick(() => this.emit('connect'))
  }
  setNoDelay(): void {}
  setKeepAlive(): void {}
  ref(): void {}
  unref(): void {}

  override _read(): void {}

  override _write(message: Buffer, _encoding: unknown, done: (error?: Error | null) => void): void {
    this.#send(message).then(() => done(), done)
  }

  /** The messages of one statement, or of several, in one call of the engine. */
  override _writev(messages: { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this.#send(Buffer.concat(messages.map(({ chunk }) => chunk))).then(() => done(), done)
  }

  override _final(done: () => void): void {
    this.push(null)
    done()
  }

  async #send(messages: Buffer): Promise<void> {
    // An answer may cause the next statement, and Node loses what is written before `_writev` returns.
    await Promise.resolve()
    if (messages[0] === terminate) return this.#rollBack()
    if (!this.#engine.ready) throw new Error('PGlite is closed')
    // The startup message has no type: it begins with its length.
    if (messages[0] === 0) {
      await this.#resetSession()
      this.push(Buffer.from(await this.#engine.execProtocolRaw(messages)))
      return
    }
    const answers: Buffer[] = []
    await this.#engine.execProtocolRawStream(messages, { onRawData: (answer) => void answers.push(Buffer.from(answer)) })
    // Not inside the engine: a reader that throws would leave it in the middle of an answer.
    for (const answer of answers) this.push(answer)
  }

  async #rollBack(): Promise<void> {
    if (this.#engine.ready && this.#engine.isInTransaction()) await this.#engine.exec('ROLLBACK')
  }

  /** Not DISCARD ALL, which ends LISTEN. */
  async #resetSession(): Promise<void> {
    await this.#rollBack()
    await this.#engine.exec('RESET ALL; DEALLOCATE ALL; DISCARD TEMP; SELECT pg_advisory_unlock_all()')
  }
}
