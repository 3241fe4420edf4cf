/** True when the service did not answer: `fetch` threw, or Remix could not read what came. Each browser words it differently. */
export const isConnectionLost = (error: unknown): boolean =>
  error instanceof Error &&
  (error instanceof TypeError ? /failed to fetch|load failed|network/i : /decode turbo-stream/i).test(error.message)
