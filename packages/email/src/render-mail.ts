import { textsIn } from '@floorpass/languages'
import type { Locale } from '@floorpass/languages/locales'
import { oneLine, plainName } from '@floorpass/languages/plain-words'
import type { MailContent, MailLink, MailName, MailReason, MailVariables } from '@floorpass/languages/types'
import { type Mail, MailError } from './mail.ts'
import { renderHtml, renderText } from './templates/layout.ts'
import { type MailColors, palette } from './templates/palette.ts'

/** What every mail needs. `name` is the person's own: it is made harmless before it is shown, and may be empty. */
export type MailContext = {
  locale: Locale
  appName: string
  baseUrl: string
  name: string
  supportUrl?: string | null
  brand?: MailBrand
  protection?: MailProtection
}

/** The protection of the recipient's account. Only mails that `offersPanic` accepts show the link and the hold. */
export type MailProtection = { phrase: string | null; panicUrl: string | null; heldUntil: Date | null }

/** What an operator chose. With a logo, mails show the name alone: they load nothing remote, and our mark is not the operator's. */
export type MailBrand = {
  logo: object | null
  accent: Record<'light' | 'dark', Pick<MailColors, 'accent' | 'onAccent'>> | null
  mailFooter: readonly string[]
}

const reasonOf: Record<MailName, MailReason> = {
  'verify-email': 'sign-up',
  'create-passkey': 'sign-up',
  'already-registered': 'sign-up',
  'reset-password': 'request',
  'password-changed': 'security',
  'password-cleared': 'security',
  'password-paused': 'security',
  'password-set': 'security',
  'change-email-confirm': 'request',
  'email-change-requested': 'account-request',
  'email-changed': 'former-email',
  'email-change-undone': 'security',
  'delete-account': 'account-request',
  reauthenticate: 'account-request',
  'account-linked': 'security',
  'account-unlinked': 'security',
  'account-deleted': 'farewell',
  'phrase-changed': 'security',
  'hold-lifted': 'security',
  'account-locked': 'security',
  'unlock-requested': 'security',
  'unlock-canceled': 'security',
  'account-unlocked': 'security',
  'unlock-refused': 'security',
  panicked: 'security',
  'passkey-added': 'security',
  'passkey-removed': 'security',
  'passkey-counter': 'security',
  'api-key-created': 'security',
  'api-key-changed': 'security',
  'api-key-changed-by-another': 'security',
  'api-key-leaked': 'security',
  'allow-list-added': 'security',
  'allow-list-removed': 'security',
  'allow-list-enabled': 'security',
  'allow-list-disabling': 'security',
  'organization-invitation': 'invitation',
  'webhook-paused': 'webhook',
  'member-added': 'membership',
  'role-given': 'security',
  'organization-suspension': 'support',
  'organization-owner-changed': 'security',
  'administrator-role': 'security',
  'support-act': 'support',
  'approval-requested': 'administration',
  impersonated: 'security',
  'member-removed': 'membership',
  'membership-dropped': 'membership',
  'two-factor-enabled': 'security',
  'authenticator-added': 'security',
  'two-factor-disabled': 'security',
  'two-factor-locked': 'security',
  'backup-codes-replaced': 'security',
  'backup-code-used': 'security',
}

/** Whether the mail reports an act that a thief may have done. It then has the panic link. */
export const offersPanic = (mail: MailName): boolean =>
  reasonOf[mail] === 'security' || reasonOf[mail] === 'former-email' || reasonOf[mail] === 'account-request'

export const mailNames = Object.keys(reasonOf) as MailName[]

/** A mail without its recipient. */
export type RenderedMail = Omit<Mail, 'to'>

/** Renders a mail in both parts. A link that leaves `baseUrl` is refused: no mail may point where a request header said. */
export function renderMail<Name extends MailName>(mail: Name, variables: MailContext & MailVariables[Name]): RenderedMail {
  const { locale, baseUrl, supportUrl, brand, protection } = variables
  const { mails } = textsIn(locale)
  const write = mails.contents[mail] as (variables: MailContext & MailVariables[Name]) => MailContent
  const appName = oneLine(variables.appName)
  const set = mails.typeset ?? ((text: string) => text)
  const content = { ...write({ ...variables, appName }), reason: mails.reasons[reasonOf[mail]](appName) }
  const panic =
    protection?.panicUrl && offersPanic(mail)
      ? { label: mails.panic.label, text: set(mails.panic.text), url: protection.panicUrl }
      : undefined
  for (const link of [content.action, content.secondAction, panic]) refuseForeignLink(link, baseUrl)

  const email = {
    ...typeset(content, mails.typeset),
    locale,
    appName,
    baseUrl,
    greeting: mails.greeting(plainName(variables.name)),
    phrase: protection?.phrase ? set(mails.phrase(oneLine(protection.phrase))) : undefined,
    held: protection?.heldUntil && offersPanic(mail) ? set(mails.held(protection.heldUntil)) : undefined,
    panic,
    copyLink: mails.copyLink,
    // The operator's own address, which may be a mailbox or another site.
    support: content.needsSupport && supportUrl ? { label: mails.support, url: supportUrl } : undefined,
    linkLabel: mails.linkLabel,
    colors: { light: { ...palette.light, ...brand?.accent?.light }, dark: { ...palette.dark, ...brand?.accent?.dark } },
    showsMark: (brand?.logo ?? null) === null,
    footer: brand?.mailFooter ?? [],
  }
  return { subject: email.subject, text: renderText(email), html: renderHtml(email) }
}

function refuseForeignLink(link: MailLink | undefined, baseUrl: string) {
  if (!link) return
  const inside = URL.parse(link.url)?.origin === new URL(baseUrl).origin && !/[\s\p{C}]/u.test(link.url)
  if (!inside) throw new MailError('MAIL_LINK_REFUSED', 'A link in a mail must start with the base URL.')
}

type Sentences = MailContent & { reason: string }

/** Sets each sentence by the rules of its language; labels of links have none to set. */
function typeset(content: Sentences, set: ((text: string) => string) | undefined): Sentences {
  if (!set) return content
  const { subject, preheader, heading, paragraphs, list, footnote, reason } = content
  return {
    ...content,
    subject: set(subject),
    preheader: set(preheader),
    heading: set(heading),
    paragraphs: paragraphs.map(set),
    ...(list && { list: { title: set(list.title), items: list.items.map(set) } }),
    ...(footnote && { footnote: set(footnote) }),
    reason: set(reason),
  }
}
