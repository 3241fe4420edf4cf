import { duration, type MailTemplate } from './content.ts'

export const deleteAccount: MailTemplate<{ url: string; minutes: number }> = {
  en: ({ appName, url, minutes }) => ({
    subject: `Confirm that you want to delete your ${appName} account`,
    preheader: `Nothing is deleted until you confirm. This link expires in ${duration.en.minutes(minutes)}.`,
    heading: 'Delete your account?',
    paragraphs: [
      `You asked to delete your ${appName} account. Once you confirm, it’s permanently deleted with all its data. This can’t be undone.`,
    ],
    action: { label: 'Delete my account', url },
    footnote: `This link works once and expires in ${duration.en.minutes(minutes)}. If you didn’t ask for this, don’t open it. Sign in and change your password: someone may be signed in to your account.`,
  }),
  fr: ({ appName, url, minutes }) => ({
    subject: `Confirmez la suppression de votre compte ${appName}`,
    preheader: `Rien n’est supprimé sans votre confirmation. Ce lien est valable ${duration.fr.minutes(minutes)}.`,
    heading: 'Supprimer votre compte ?',
    paragraphs: [
      `Vous avez demandé la suppression de votre compte ${appName}. Dès que vous aurez confirmé, il sera définitivement supprimé avec toutes ses données.`,
    ],
    action: { label: 'Supprimer mon compte', url },
    footnote: `Ce lien est valable ${duration.fr.minutes(minutes)} et ne sert qu’une fois. Si vous n’avez rien demandé, ne l’ouvrez pas. Connectez-vous et changez de mot de passe : quelqu’un d’autre utilise peut-être votre compte.`,
  }),
}
