/** pino's interface. Fields must not contain secrets. */
export type Log = Record<'info' | 'warn' | 'error', (fields: Record<string, unknown>, message: string) => void>

/** Attributes must be constants, never request data. */
export type Tracing = {
  span<Result>(
    name: string,
    attributes: Record<string, string | number>,
    work: (set: (name: string, value: string | number) => void) => Promise<Result>,
  ): Promise<Result>
}
