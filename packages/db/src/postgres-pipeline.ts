import pg from 'pg'

export type Statement = { text: string; values: unknown[]; types: pg.CustomTypesConfig; name?: string }

/** Statements on one connection. */
export type Journeys = {
  /** Answers its rows. What is asked for in one turn leaves together; behind a statement that failed nothing runs any more. */
  ask(statement: Statement): Promise<unknown[]>
  /** What has not left by now never does. False when a statement failed, or nobody waited for it. */
  end(): boolean
}

export function journeysOn(client: pg.ClientBase): Journeys {
  let waiting: QueuedStatement[] = []
  let isAway = false
  let failure: Error | null = null

  const leave = (): void => {
    if (isAway || waiting.length === 0) return
    const passengers = waiting
    waiting = []
    const rejectFrom = (error: Error, from = 0): void => {
      for (const { reject } of passengers.slice(from)) reject(error)
    }
    if (failure) {
      rejectFrom(failure)
      return
    }
    isAway = true
    const journey = new Journey(passengers, (error) => {
      isAway = false
      failure ??= error ?? null
      const { answers } = journey
      for (const [index, rows] of answers.entries()) passengers[index]?.resolve(rows)
      // A rule judges what was answered before it hears what failed behind.
      if (error) setImmediate(rejectFrom, error, answers.length)
      leave()
    })
    client.query(journey)
  }

  return {
    ask: (statement) =>
      new Promise((resolve, reject) => {
        waiting.push({ ...statement, resolve, reject })
        // When all that goes on without waiting has gone on.
        if (waiting.length === 1) process.nextTick(leave)
      }),
    end: () => {
      const isWhole = failure === null && !isAway && waiting.length === 0
      failure ??= new Error('a statement after the end of its transaction')
      return isWhole
    },
  }
}

type QueuedStatement = Statement & { resolve(rows: unknown[]): void; reject(error: Error): void }

/** What `pg` has and does not declare. */
type Connection = {
  submittedNamedStatements: Record<string, string>
  stream: { cork(): void; uncork(): void }
  execute(portal: { portal: string }): void
  sync(): void
}
type Query = {
  _result: pg.QueryResult
  _canceledDueToError: unknown
  prepare(connection: Connection): void
  handleCommandComplete(message: unknown, connection: Connection): void
  handleError(error: Error, connection: Connection): void
}
const Query = pg.Query as unknown as new (
  config: { text: string; types: pg.CustomTypesConfig | undefined },
  callback: (error: Error | undefined) => void,
) => Query

/**
 * Several statements with one Sync behind the last (PostgreSQL: Message Flow, Pipelining): the server runs them in this order, and none
 * behind one that failed. So BEGIN goes with what must not run without it. It is the query of each statement in turn.
 */
class Journey extends Query {
  readonly statements: readonly Statement[]
  /** Of each statement that the server has done: its rows. */
  readonly answers: unknown[][] = []
  #at = 0
  #isRefused = false

  constructor(statements: readonly Statement[], callback: (error: Error | undefined) => void) {
    super({ text: '', types: statements[0]?.types }, callback)
    this.statements = statements
  }

  submit(connection: unknown): void {
    const { stream } = connection as Connection
    stream.cork()
    try {
      for (const index of this.statements.keys()) {
        this.#turnTo(index)
        if (!this.#isRefused) this.prepare(connection as Connection)
      }
    } finally {
      stream.uncork()
    }
    this.#turnTo(0)
  }

  /** At the end of each `prepare`, which would send a Sync behind every one. */
  _getRows(connection: Connection): void {
    connection.execute({ portal: '' })
    if (this.#at === this.statements.length - 1) connection.sync()
  }

  override handleCommandComplete(message: unknown, connection: Connection): void {
    super.handleCommandComplete(message, connection)
    // Of rows that cannot be read `pg` tells at the end; they are no answer, nor is what comes behind them.
    if (!this._canceledDueToError) this.answers.push(this._result.rows)
    this.#turnTo(this.#at + 1)
  }

  /** The answer to an empty text. */
  handleEmptyQuery(): void {
    this.answers.push([])
    this.#turnTo(this.#at + 1)
  }

  /** Also when `prepare` met a value that it cannot write: it has sent the Sync, and nothing may follow. */
  override handleError(error: Error, connection: Connection): void {
    this.#isRefused = true
    for (const { name } of this.statements) if (name !== undefined) delete connection.submittedNamedStatements[name]
    super.handleError(error, connection)
  }

  #turnTo(index: number): void {
    this.#at = index
    const { text, values, name } = this.statements[index] ?? {}
    Object.assign(this, { text, values, name })
  }
}
