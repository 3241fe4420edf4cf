import { maskAddress } from '../plain-words.ts'
import type { MailTemplate } from './content.ts'

export const emailChangeRequested: MailTemplate<{ newEmail: string; resetUrl: string }> = {
  en: ({ appName, newEmail, resetUrl }) => ({
    subject: `Someone requested an email change on your ${appName} account`,
    preheader: 'Nothing has changed yet.',
    heading: 'Email change requested',
    paragraphs: [
      `Someone, probably you, asked to move your ${appName} account to ${maskAddress(newEmail)}. Nothing changes until that address is confirmed. If it was you, there is nothing to do here.`,
      'If it was not you, someone may be signed in as you. Choose a new password now: that signs everyone else out.',
    ],
    action: { label: 'It was not me', url: resetUrl },
  }),
  fr: ({ appName, newEmail, resetUrl }) => ({
    subject: `Une nouvelle adresse e-mail a été demandée pour votre compte ${appName}`,
    preheader: 'Rien n’a encore changé.',
    heading: 'Un changement d’adresse e-mail a été demandé',
    paragraphs: [
      `Quelqu’un, sans doute vous, a demandé que votre compte ${appName} utilise l’adresse ${maskAddress(newEmail)}. Rien ne change tant que cette adresse n’est pas confirmée. Si c’était vous, vous n’avez rien à faire ici.`,
      'Si ce n’était pas vous, quelqu’un utilise peut-être votre compte. Choisissez tout de suite un nouveau mot de passe : toutes les autres sessions seront fermées.',
    ],
    action: { label: 'Ce n’était pas moi', url: resetUrl },
  }),
}
