/** Structured logging, the shape that pino has. Fields never hold a secret. */
export type Log = Record<'info' | 'warn' | 'error', (fields: Record<string, unknown>, message: string) => void>

/** Where time goes, for an operator; null when nobody asks. Attributes are words of the code, never of a request. */
export type Tracing = {
  span<Result>(
    name: string,
    attributes: Record<string, string | number>,
    work: (set: (name: string, value: string | number) => void) => Promise<Result>,
  ): Promise<Result>
}
