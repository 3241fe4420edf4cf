import type { MailTemplate } from './content.ts'

export const accountDeleted: MailTemplate<object> = {
  en: ({ appName }) => ({
    subject: `Your ${appName} account was deleted`,
    preheader: 'It was erased with all its data.',
    heading: 'Your account was deleted',
    paragraphs: [`Your ${appName} account has been deleted, with all its data.`],
    footnote: `This is the last email about this account. If you did not ask for its deletion, tell the people who run ${appName} at once.`,
  }),
  fr: ({ appName }) => ({
    subject: `Votre compte ${appName} a été supprimé`,
    preheader: 'Il a été effacé avec toutes ses données.',
    heading: 'Votre compte a été supprimé',
    paragraphs: [
      `Votre compte ${appName} a été effacé avec toutes ses données, et plus personne ne peut s’y connecter. Merci pour le temps passé avec nous.`,
    ],
    footnote: `Ceci est le dernier message au sujet de ce compte. Si vous n’avez pas demandé sa suppression, prévenez sans attendre l’équipe qui gère ${appName}.`,
  }),
}
