import { duration, type MailTemplate } from './content.ts'

export const resetPassword: MailTemplate<{ url: string; minutes: number }> = {
  en: ({ appName, url, minutes }) => ({
    subject: `Choose a new password for ${appName}`,
    preheader: `This link expires in ${duration.en.minutes(minutes)}.`,
    heading: 'Choose a new password',
    paragraphs: [`Someone, probably you, asked to reset the password of your ${appName} account.`],
    action: { label: 'Choose a new password', url },
    footnote: `This link works once and expires in ${duration.en.minutes(minutes)}. If you didn’t ask for it, ignore this email: your password stays the same.`,
  }),
  fr: ({ appName, url, minutes }) => ({
    subject: `Choisissez un nouveau mot de passe pour ${appName}`,
    preheader: `Ce lien est valable ${duration.fr.minutes(minutes)}.`,
    heading: 'Choisissez un nouveau mot de passe',
    paragraphs: [`Quelqu’un, sans doute vous, a demandé à réinitialiser le mot de passe de votre compte ${appName}.`],
    action: { label: 'Choisir un nouveau mot de passe', url },
    footnote: `Ce lien est valable ${duration.fr.minutes(minutes)} et ne sert qu’une fois. Si vous n’avez rien demandé, ignorez cet e-mail : votre mot de passe reste le même.`,
  }),
}
