/** Whether a request never reached the service: `fetch` says so by a TypeError, each browser in words of its own. */
export const isConnectionLost = (error: unknown): boolean =>
  error instanceof TypeError && /failed to fetch|networkerror|load failed|network/i.test(error.message)
