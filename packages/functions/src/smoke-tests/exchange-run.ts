export type Exchange = { id: string; baseUrl: string | null }

export type SmokeTimes = { check: number; suite: number; slowestAnswer: number; clockTolerance: number }

/** The message that starts an exchange process. */
export type ExchangeRun = { exchange: Exchange; times: SmokeTimes }
