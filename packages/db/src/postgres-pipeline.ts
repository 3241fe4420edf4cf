import pg from 'pg'

export type Statement = { text: string; values: unknown[]; types: pg.CustomTypesConfig; name?: string }

export type Pipeline = {
  /** Resolves to the rows. Statements queued in one turn share a round trip; after a failure none runs. */
  query(statement: Statement): Promise<unknown[]>
  /** Drops queued statements. Returns false when one failed or is still pending. */
  close(): boolean
}

export function createPipeline(client: pg.ClientBase): Pipeline {
  let queue: QueuedStatement[] = []
  let isInFlight = false
  let failure: Error | null = null

  const flush = (): void => {
    if (isInFlight || queue.length === 0) return
    const batch = queue
    queue = []
    const rejectFrom = (error: Error, from = 0): void => {
      for (const { reject } of batch.slice(from)) reject(error)
    }
    if (failure) {
      rejectFrom(failure)
      return
    }
    isInFlight = true
    const batchQuery = new BatchQuery(batch, (error) => {
      isInFlight = false
      failure ??= error ?? null
      const { results } = batchQuery
      for (const [index, rows] of results.entries()) batch[index]?.resolve(rows)
      // Callers see the results that arrived before they see the failure that followed.
      if (error) setImmediate(rejectFrom, error, results.length)
      flush()
    })
    client.query(batchQuery)
  }

  return {
    query: (statement) =>
      new Promise((resolve, reject) => {
        queue.push({ ...statement, resolve, reject })
        // nextTick collects every statement that the current turn issues.
        if (queue.length === 1) process.nextTick(flush)
      }),
    close: () => {
      const isComplete = failure === null && !isInFlight && queue.length === 0
      failure ??= new Error('statement issued after its transaction ended')
      return isComplete
    },
  }
}

type QueuedStatement = Statement & { resolve(rows: unknown[]): void; reject(error: Error): void }

/** Members of `pg` that its types do not declare. */
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

// Sends several statements with one Sync (PostgreSQL: Message Flow, Pipelining), so the server skips those after a failure.
// To `pg` this is one query that takes the shape of each statement in turn.
class BatchQuery extends Query {
  readonly statements: readonly Statement[]
  readonly results: unknown[][] = []
  #current = 0
  #hasFailed = false

  constructor(statements: readonly Statement[], callback: (error: Error | undefined) => void) {
    super({ text: '', types: statements[0]?.types }, callback)
    this.statements = statements
  }

  submit(connection: unknown): void {
    const { stream } = connection as Connection
    stream.cork()
    try {
      for (const index of this.statements.keys()) {
        this.#select(index)
        if (!this.#hasFailed) this.prepare(connection as Connection)
      }
    } finally {
      stream.uncork()
    }
    this.#select(0)
  }

  /** `pg` calls this last in `prepare`. Its own version sends a Sync after every statement. */
  _getRows(connection: Connection): void {
    connection.execute({ portal: '' })
    if (this.#current === this.statements.length - 1) connection.sync()
  }

  override handleCommandComplete(message: unknown, connection: Connection): void {
    super.handleCommandComplete(message, connection)
    // `pg` reports rows that it cannot parse only when the query ends. Neither they nor later rows are results.
    if (!this._canceledDueToError) this.results.push(this._result.rows)
    this.#select(this.#current + 1)
  }

  handleEmptyQuery(): void {
    this.results.push([])
    this.#select(this.#current + 1)
  }

  /** `prepare` also calls this for a value that it cannot encode. It has sent a Sync by then, so nothing may follow. */
  override handleError(error: Error, connection: Connection): void {
    this.#hasFailed = true
    for (const { name } of this.statements) if (name !== undefined) delete connection.submittedNamedStatements[name]
    super.handleError(error, connection)
  }

  #select(index: number): void {
    this.#current = index
    const { text, values, name } = this.statements[index] ?? {}
    Object.assign(this, { text, values, name })
  }
}
