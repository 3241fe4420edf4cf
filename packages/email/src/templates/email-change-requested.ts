import { maskAddress } from '../plain-words.ts'
import type { MailTemplate } from './content.ts'

export const emailChangeRequested: MailTemplate<{ newEmail: string; resetUrl: string }> = {
  en: ({ appName, newEmail, resetUrl }) => ({
    subject: `Someone requested an email change on your ${appName} account`,
    preheader: 'Nothing has changed yet.',
    heading: 'Email change requested',
    paragraphs: [
      `Someone, probably you, asked to change the email of your ${appName} account to ${maskAddress(newEmail)}. Nothing changes until the new email is confirmed. If this was you, you can ignore this email.`,
      'If this wasn’t you, someone may be signed in to your account. Choose a new password now. That signs everyone else out.',
    ],
    action: { label: 'This wasn’t me', url: resetUrl },
  }),
  fr: ({ appName, newEmail, resetUrl }) => ({
    subject: `Changement d’adresse e-mail demandé sur votre compte ${appName}`,
    preheader: 'Rien n’a encore changé.',
    heading: 'Changement d’adresse e-mail demandé',
    paragraphs: [
      `Quelqu’un, sans doute vous, a demandé à remplacer l’adresse e-mail de votre compte ${appName} par ${maskAddress(newEmail)}. Rien ne change tant que la nouvelle adresse n’est pas confirmée. Si c’était vous, vous n’avez rien à faire.`,
      'Si ce n’était pas vous, quelqu’un d’autre utilise peut-être votre compte. Choisissez tout de suite un nouveau mot de passe : toutes les autres sessions seront fermées.',
    ],
    action: { label: 'Ce n’était pas moi', url: resetUrl },
  }),
}
