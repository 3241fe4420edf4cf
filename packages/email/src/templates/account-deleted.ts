import type { MailTemplate } from './content.ts'

export const accountDeleted: MailTemplate<object> = {
  en: ({ appName }) => ({
    subject: `Your ${appName} account was deleted`,
    preheader: 'All its data was deleted too.',
    heading: 'Your account was deleted',
    paragraphs: [`Your ${appName} account has been deleted, with all its data.`],
    footnote: `This is the last email about this account. If you didn’t delete it, contact the ${appName} team right away.`,
  }),
  fr: ({ appName }) => ({
    subject: `Votre compte ${appName} a été supprimé`,
    preheader: 'Toutes ses données l’ont été aussi.',
    heading: 'Votre compte a été supprimé',
    paragraphs: [`Votre compte ${appName} a été supprimé avec toutes ses données.`],
    footnote: `C’est le dernier e-mail concernant ce compte. Si vous ne l’avez pas supprimé, contactez sans attendre l’équipe ${appName}.`,
  }),
}
