/** A failure of the API as a page shows it. */
export type PageError = {
  key: string
  message: string
  /** Field name → what is wrong with it. */
  fields: Record<string, string>
  retryAfter: number | null
}

/** What a form gets back when its action failed: the failure, and what the person had typed. */
export type FormFailure = { error: PageError; typed: Record<string, string> }

/** The answer of an action: what it did, or its failure. None before the first form is sent. */
export type FormResult = FormFailure | { done: string; error?: undefined; typed?: undefined } | undefined

/** The mailed link itself is no good: only a new one helps. */
export const isDeadLink = (error: PageError | null | undefined): boolean =>
  error?.key === 'INVALID_TOKEN' || error?.key === 'TOKEN_EXPIRED'

/** Whether a new password would be taken, and the sentence that says so. */
export type PasswordVerdict = { accepted: boolean; sentence: string }
