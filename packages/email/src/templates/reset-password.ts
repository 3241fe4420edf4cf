import { duration, type MailTemplate } from './content.ts'

export const resetPassword: MailTemplate<{ url: string; minutes: number }> = {
  en: ({ appName, url, minutes }) => ({
    subject: `Choose a new password for ${appName}`,
    preheader: `The link works for ${duration.en.minutes(minutes)}, once.`,
    heading: 'Choose a new password',
    paragraphs: [`Someone, probably you, asked for a new password for your ${appName} account.`],
    action: { label: 'Choose a new password', url },
    footnote: `The link works for ${duration.en.minutes(minutes)}, once. If you did not ask for it, ignore this email: your password stays as it is.`,
  }),
  fr: ({ appName, url, minutes }) => ({
    subject: `Choisissez un nouveau mot de passe pour ${appName}`,
    preheader: `Le lien est valable ${duration.fr.minutes(minutes)}, une seule fois.`,
    heading: 'Choisissez un nouveau mot de passe',
    paragraphs: [`Quelqu’un, sans doute vous, a demandé un nouveau mot de passe pour votre compte ${appName}.`],
    action: { label: 'Choisir un nouveau mot de passe', url },
    footnote: `Le lien est valable ${duration.fr.minutes(minutes)}, une seule fois. Si vous n’avez rien demandé, ignorez ce message : votre mot de passe reste le même.`,
  }),
}
