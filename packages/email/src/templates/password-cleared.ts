import { duration, type MailTemplate } from './content.ts'

export const passwordCleared: MailTemplate<{ url: string; minutes: number }> = {
  en: ({ appName, url, minutes }) => ({
    subject: `Your ${appName} account needs a new password`,
    preheader: 'We removed the old one so that no one else can use it.',
    heading: 'Choose a new password',
    paragraphs: [
      `To keep others out of your ${appName} account, we removed its password and signed everyone out. No password works until you choose a new one.`,
    ],
    action: { label: 'Choose a new password', url },
    footnote: `This link works once and expires in ${duration.en.minutes(minutes)}. You can request another on the sign-in page.`,
  }),
  fr: ({ appName, url, minutes }) => ({
    subject: `Choisissez un nouveau mot de passe pour votre compte ${appName}`,
    preheader: 'Nous avons supprimé l’ancien pour que personne d’autre ne puisse l’utiliser.',
    heading: 'Choisissez un nouveau mot de passe',
    paragraphs: [
      `Pour que personne d’autre n’accède à votre compte ${appName}, nous avons supprimé son mot de passe et fermé toutes les sessions. Aucun mot de passe ne fonctionnera tant que vous n’en aurez pas choisi un nouveau.`,
    ],
    action: { label: 'Choisir un nouveau mot de passe', url },
    footnote: `Ce lien est valable ${duration.fr.minutes(minutes)} et ne sert qu’une fois. Vous pouvez en demander un autre sur la page de connexion.`,
  }),
}
