import { maskAddress } from '../plain-words.ts'
import { duration, type MailTemplate } from './content.ts'

export const emailChanged: MailTemplate<{ newEmail: string; undoUrl: string | null; days: number }> = {
  en: ({ appName, newEmail, undoUrl, days }) => ({
    subject: `The email of your ${appName} account was changed`,
    preheader:
      undoUrl === null
        ? 'Your account no longer uses this email.'
        : `If this wasn’t you, you can undo it for ${duration.en.days(days)}.`,
    heading: 'Your email was changed',
    paragraphs: [
      `Your ${appName} account now uses ${maskAddress(newEmail)}. You can no longer sign in with this email. If this was you, you don’t need to do anything.`,
      undoUrl === null
        ? `Your account used this email for less than ${duration.en.days(days)}. If this wasn’t you, open the undo link we sent to the email before this one.`
        : 'If this wasn’t you, undo the change. That restores this email and signs everyone out.',
    ],
    ...(undoUrl !== null && {
      action: { label: 'Undo the change', url: undoUrl },
      footnote: `This link works once and expires in ${duration.en.days(days)}.`,
    }),
  }),
  fr: ({ appName, newEmail, undoUrl, days }) => ({
    subject: `L’adresse e-mail de votre compte ${appName} a été modifiée`,
    preheader:
      undoUrl === null
        ? 'Votre compte n’utilise plus cette adresse.'
        : `Si ce n’était pas vous, vous pouvez annuler ce changement pendant ${duration.fr.days(days)}.`,
    heading: 'Votre adresse e-mail a été modifiée',
    paragraphs: [
      `Votre compte ${appName} utilise maintenant l’adresse ${maskAddress(newEmail)}. Vous ne pouvez plus vous connecter avec l’ancienne, celle qui reçoit cet e-mail. Si c’était vous, vous n’avez rien à faire.`,
      undoUrl === null
        ? `Le compte utilisait cette adresse depuis moins de ${duration.fr.days(days)}. Si ce changement ne vient pas de vous, ouvrez le lien d’annulation envoyé à l’adresse précédente.`
        : 'Si ce n’était pas vous, annulez le changement : l’ancienne adresse sera rétablie et toutes les sessions seront fermées.',
    ],
    ...(undoUrl !== null && {
      action: { label: 'Annuler le changement', url: undoUrl },
      footnote: `Ce lien est valable ${duration.fr.days(days)} et ne sert qu’une fois.`,
    }),
  }),
}
