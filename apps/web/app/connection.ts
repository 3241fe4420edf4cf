/**
 * Whether no answer of the service came: `fetch` says so by a TypeError, each browser in words of its own; what a proxy said in its place,
 * or an answer that was cut off, is no data to Remix.
 */
export const isConnectionLost = (error: unknown): boolean =>
  error instanceof Error &&
  (error instanceof TypeError ? /failed to fetch|load failed|network/i : /decode turbo-stream/i).test(error.message)
