import type { ConfirmationText } from './confirmation-text.ts'
import type { administration } from './en/administration.ts'
import type { app } from './en/app.ts'
import type { mailed } from './en/mailed.ts'
import type { pages } from './en/pages.ts'
import type { ServerText } from './en/server.ts'
import type { MailTexts } from './mail-texts.ts'
import type { Limits } from './server-text.ts'
import type { StoredText } from './stored-text.ts'

/** Everything that pages say, in one language. */
export type PageText = typeof pages & typeof app & typeof mailed & typeof administration

/** What the folder of a language exports. English is the type: a missing sentence of another language is a type error. */
export type Language = {
  pages: typeof pages
  app: typeof app
  mailed: typeof mailed
  administration: typeof administration
  server: (limits: Limits) => ServerText
  mails: MailTexts
  stored: StoredText
  confirmation: ConfirmationText
}
