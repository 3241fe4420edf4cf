import { duration, type MailTemplate } from './content.ts'

export const passwordCleared: MailTemplate<{ url: string; minutes: number }> = {
  en: ({ appName, url, minutes }) => ({
    subject: `Your ${appName} account needs a new password`,
    preheader: 'We removed the old one so that no one else can use it.',
    heading: 'Choose a new password',
    paragraphs: [
      `To keep anyone else out, we removed the password of your ${appName} account and signed everyone out. No password works until you choose a new one.`,
    ],
    action: { label: 'Choose a new password', url },
    footnote: `The link works for ${duration.en.minutes(minutes)}, once. After that, ask for another on the sign-in page.`,
  }),
  fr: ({ appName, url, minutes }) => ({
    subject: `Votre compte ${appName} a besoin d’un nouveau mot de passe`,
    preheader: 'Nous avons supprimé l’ancien pour que personne d’autre ne puisse l’utiliser.',
    heading: 'Choisissez un nouveau mot de passe',
    paragraphs: [
      `Pour que personne d’autre n’y accède, nous avons supprimé le mot de passe de votre compte ${appName} et fermé toutes les sessions. Personne ne peut se connecter avec un mot de passe tant que vous n’en avez pas choisi un nouveau.`,
    ],
    action: { label: 'Choisir un nouveau mot de passe', url },
    footnote: `Le lien est valable ${duration.fr.minutes(minutes)}, une seule fois. Ensuite, demandez-en un autre sur la page de connexion.`,
  }),
}
