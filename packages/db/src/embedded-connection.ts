import { Duplex } from 'node:stream'
import type { PGlite } from '@electric-sql/pglite'

const terminate = 'X'.charCodeAt(0)

/**
 * The socket of a `pg` client that talks to the embedded engine. The engine has one session: use one client at a time.
 * A new client finds no transaction and no prepared statement of the client before it.
 */
export class EmbeddedConnection extends Duplex {
  readonly #engine: PGlite

  constructor(engine: PGlite) {
    super()
    this.#engine = engine
  }

  /** `pg` calls these five of a socket. */
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
    // An answer may cause the next statement, and Node loses what is written before \`_writev\` returns.
    await Promise.resolve()
    if (messages[0] === terminate) return
    if (this.#engine.closed) throw new Error('PGlite is closed')
    // The startup message has no type: it begins with its length.
    if (messages[0] === 0) {
      await this.#resetSession()
      this.push(Buffer.from(await this.#engine.execProtocolRaw(messages)))
      return
    }
    await this.#engine.execProtocolRawStream(messages, { onRawData: (answer) => void this.push(Buffer.from(answer)) })
  }

  async #resetSession(): Promise<void> {
    if (this.#engine.isInTransaction()) await this.#engine.exec('ROLLBACK')
    await this.#engine.exec('DEALLOCATE ALL')
  }
}
