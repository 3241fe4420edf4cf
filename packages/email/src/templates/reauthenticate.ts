import { duration, type MailTemplate } from './content.ts'

export const reauthenticate: MailTemplate<{ url: string; minutes: number }> = {
  en: ({ appName, url, minutes }) => ({
    subject: `Confirm it's you on ${appName}`,
    preheader: `The link works for ${duration.en.minutes(minutes)}, once.`,
    heading: "Confirm it's you",
    paragraphs: ['Open this link in the browser where you are signed in. You can then make the change you started.'],
    action: { label: "Confirm it's me", url },
    footnote: `The link works for ${duration.en.minutes(minutes)}, once. If you didn't ask for it, don't open it: someone may be signed in to your account. Sign in and end all other sessions.`,
  }),
  fr: ({ appName, url, minutes }) => ({
    subject: `Confirmez votre identité sur ${appName}`,
    preheader: `Le lien est valable ${duration.fr.minutes(minutes)}, une seule fois.`,
    heading: 'Confirmez que c’est bien vous',
    paragraphs: [
      'Ouvrez ce lien dans le navigateur où vous êtes connecté. Vous pourrez ensuite terminer la modification commencée.',
    ],
    action: { label: 'C’est bien moi', url },
    footnote: `Le lien est valable ${duration.fr.minutes(minutes)}, une seule fois. Si vous n’avez rien demandé, ne l’ouvrez pas : quelqu’un utilise peut-être votre compte. Connectez-vous et fermez toutes les autres sessions.`,
  }),
}
