export type Connection = {
  query: <Row>(sql: string, values?: unknown[]) => Promise<Row[]>
  script: (sql: string) => Promise<unknown>
}

export type TransactionRunner = <Result>(work: (connection: Connection) => Promise<Result>) => Promise<Result>
