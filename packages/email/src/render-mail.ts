import { type Mail, MailError } from './mail.ts'
import { oneLine, plainName } from './plain-words.ts'
import { accountDeleted } from './templates/account-deleted.ts'
import { accountLinked } from './templates/account-linked.ts'
import { accountUnlinked } from './templates/account-unlinked.ts'
import { alreadyRegistered } from './templates/already-registered.ts'
import { backupCodeUsed } from './templates/backup-code-used.ts'
import { backupCodesReplaced } from './templates/backup-codes-replaced.ts'
import { changeEmailConfirm } from './templates/change-email-confirm.ts'
import type { MailContent, MailContext, MailLink, MailTemplate } from './templates/content.ts'
import { deleteAccount } from './templates/delete-account.ts'
import { emailChangeRequested } from './templates/email-change-requested.ts'
import { emailChangeUndone } from './templates/email-change-undone.ts'
import { emailChanged } from './templates/email-changed.ts'
import { renderHtml, renderText } from './templates/layout.ts'
import { memberAdded } from './templates/member-added.ts'
import { memberRemoved } from './templates/member-removed.ts'
import { membershipDropped } from './templates/membership-dropped.ts'
import { organizationInvitation } from './templates/organization-invitation.ts'
import { passwordChanged } from './templates/password-changed.ts'
import { passwordCleared } from './templates/password-cleared.ts'
import { passwordPaused } from './templates/password-paused.ts'
import { passwordSet } from './templates/password-set.ts'
import { reauthenticate } from './templates/reauthenticate.ts'
import { resetPassword } from './templates/reset-password.ts'
import { twoFactorDisabled } from './templates/two-factor-disabled.ts'
import { twoFactorEnabled } from './templates/two-factor-enabled.ts'
import { twoFactorLocked } from './templates/two-factor-locked.ts'
import { verifyEmail } from './templates/verify-email.ts'

const templates = {
  'verify-email': verifyEmail,
  'already-registered': alreadyRegistered,
  'reset-password': resetPassword,
  'password-changed': passwordChanged,
  'password-cleared': passwordCleared,
  'password-paused': passwordPaused,
  'password-set': passwordSet,
  'change-email-confirm': changeEmailConfirm,
  'email-change-requested': emailChangeRequested,
  'email-changed': emailChanged,
  'email-change-undone': emailChangeUndone,
  'delete-account': deleteAccount,
  reauthenticate,
  'account-linked': accountLinked,
  'account-unlinked': accountUnlinked,
  'account-deleted': accountDeleted,
  'organization-invitation': organizationInvitation,
  'member-added': memberAdded,
  'member-removed': memberRemoved,
  'membership-dropped': membershipDropped,
  'two-factor-enabled': twoFactorEnabled,
  'two-factor-disabled': twoFactorDisabled,
  'two-factor-locked': twoFactorLocked,
  'backup-codes-replaced': backupCodesReplaced,
  'backup-code-used': backupCodeUsed,
}

/** The mails that exist. */
export type MailName = keyof typeof templates

/** What each mail needs beside the MailContext. */
export type MailVariables = {
  [Name in MailName]: (typeof templates)[Name] extends MailTemplate<infer Variables> ? Variables : never
}

/** A mail without its recipient. */
export type RenderedMail = Omit<Mail, 'to'>

/** Renders a mail in both parts. A link that leaves `baseUrl` is refused: no mail may point where a request header said. */
export function renderMail<Name extends MailName>(mail: Name, variables: MailContext & MailVariables[Name]): RenderedMail {
  const { locale, baseUrl } = variables
  const write = templates[mail][locale] as (variables: MailContext & MailVariables[Name]) => MailContent
  const appName = oneLine(variables.appName)
  const content = typeset(write({ ...variables, appName }), locale)
  for (const link of [content.action, content.secondAction]) refuseForeignLink(link, baseUrl)

  const name = plainName(variables.name)
  const hello = locale === 'fr' ? 'Bonjour' : 'Hello'
  const email = { ...content, locale, appName, baseUrl, greeting: name ? `${hello} ${name},` : `${hello},` }
  return { subject: content.subject, text: renderText(email), html: renderHtml(email) }
}

function refuseForeignLink(link: MailLink | undefined, baseUrl: string) {
  if (!link) return
  const inside = URL.parse(link.url)?.origin === new URL(baseUrl).origin && !/[\s\p{C}]/u.test(link.url)
  if (!inside) throw new MailError('MAIL_LINK_REFUSED', 'A link in a mail must start with the base URL.')
}

// French sets a space before : ; ? ! and inside « » that must not break the line.
function typeset(content: MailContent, locale: MailContext['locale']): MailContent {
  if (locale !== 'fr') return content
  const set = (text: string) => text.replace(/ ([:;?!»])/g, '\u00a0$1').replace(/« /g, '«\u00a0')
  const { subject, preheader, heading, paragraphs, footnote } = content
  return {
    ...content,
    subject: set(subject),
    preheader: set(preheader),
    heading: set(heading),
    paragraphs: paragraphs.map(set),
    ...(footnote && { footnote: set(footnote) }),
  }
}
