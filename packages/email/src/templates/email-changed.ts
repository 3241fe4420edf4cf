import { maskAddress } from '../plain-words.ts'
import { duration, type MailTemplate } from './content.ts'

export const emailChanged: MailTemplate<{ newEmail: string; undoUrl: string | null; days: number }> = {
  en: ({ appName, newEmail, undoUrl, days }) => ({
    subject: `The email address of your ${appName} account was changed`,
    preheader:
      undoUrl === null
        ? 'Your account no longer uses this email.'
        : `If it was not you, you can undo it for ${duration.en.days(days)}.`,
    heading: 'Your email address was changed',
    paragraphs: [
      `Your ${appName} account now uses ${maskAddress(newEmail)}, and this address no longer signs in. If it was you, there is nothing to do.`,
      undoUrl === null
        ? `This email was the account's for less than ${duration.en.days(days)}. If the change was not you, open the undo link that we sent to the email before this one.`
        : 'If it was not you, take your account back: that restores this address and signs everyone out.',
    ],
    ...(undoUrl !== null && {
      action: { label: 'Undo the change', url: undoUrl },
      footnote: `The link works for ${duration.en.days(days)}, once.`,
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
      `Votre compte ${appName} utilise maintenant l’adresse ${maskAddress(newEmail)}. L’ancienne, à laquelle vous recevez ce message, ne permet plus de se connecter. Si c’était vous, vous n’avez rien à faire.`,
      undoUrl === null
        ? `Le compte utilisait cette adresse depuis moins de ${duration.fr.days(days)}. Si ce changement ne vient pas de vous, ouvrez le lien d’annulation envoyé à l’adresse précédente.`
        : 'Si ce n’était pas vous, reprenez votre compte : l’ancienne adresse sera rétablie et toutes les sessions seront fermées.',
    ],
    ...(undoUrl !== null && {
      action: { label: 'Annuler la modification', url: undoUrl },
      footnote: `Le lien est valable ${duration.fr.days(days)}, une seule fois.`,
    }),
  }),
}
