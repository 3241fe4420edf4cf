import { duration, type MailTemplate } from './content.ts'

export const deleteAccount: MailTemplate<{ url: string; minutes: number }> = {
  en: ({ appName, url, minutes }) => ({
    subject: `Confirm that you want to delete your ${appName} account`,
    preheader: `Nothing is deleted until you confirm. The link works for ${duration.en.minutes(minutes)}, once.`,
    heading: 'Delete your account?',
    paragraphs: [
      `You asked to delete your ${appName} account. Once you confirm, it is erased with all its data and cannot be brought back.`,
    ],
    action: { label: 'Delete my account', url },
    footnote: `The link works for ${duration.en.minutes(minutes)}, once. If you did not ask for this, leave the link alone, sign in and change your password: someone may be signed in as you.`,
  }),
  fr: ({ appName, url, minutes }) => ({
    subject: `Confirmez la suppression de votre compte ${appName}`,
    preheader: `Rien n’est supprimé sans votre confirmation. Le lien est valable ${duration.fr.minutes(minutes)}, une seule fois.`,
    heading: 'Supprimer votre compte ?',
    paragraphs: [
      `Vous avez demandé la suppression de votre compte ${appName}. Dès que vous confirmez, il est effacé avec toutes ses données et ne peut plus être rétabli.`,
    ],
    action: { label: 'Supprimer mon compte', url },
    footnote: `Le lien est valable ${duration.fr.minutes(minutes)}, une seule fois. Si vous n’avez rien demandé, n’utilisez pas ce lien, connectez-vous et changez votre mot de passe : quelqu’un utilise peut-être votre compte.`,
  }),
}
