import { duration, type MailTemplate } from './content.ts'

export const reauthenticate: MailTemplate<{ url: string; minutes: number }> = {
  en: ({ appName, url, minutes }) => ({
    subject: `Confirm it’s you on ${appName}`,
    preheader: `This link expires in ${duration.en.minutes(minutes)}.`,
    heading: 'Confirm it’s you',
    paragraphs: ['Open this link in the browser where you are signed in. You can then make the change you started.'],
    action: { label: 'Confirm it’s me', url },
    footnote: `This link works once and expires in ${duration.en.minutes(minutes)}. If you didn’t ask for it, don’t open it: someone may be signed in to your account. Sign in, then sign out all other devices.`,
  }),
  fr: ({ appName, url, minutes }) => ({
    subject: `Confirmez votre identité sur ${appName}`,
    preheader: `Ce lien est valable ${duration.fr.minutes(minutes)}.`,
    heading: 'Confirmez que c’est bien vous',
    paragraphs: [
      'Ouvrez ce lien dans le navigateur où vous êtes connecté. Vous pourrez ensuite reprendre la modification commencée.',
    ],
    action: { label: 'C’est bien moi', url },
    footnote: `Ce lien est valable ${duration.fr.minutes(minutes)} et ne sert qu’une fois. Si vous n’avez rien demandé, ne l’ouvrez pas : quelqu’un d’autre utilise peut-être votre compte. Connectez-vous, puis déconnectez tous les autres appareils.`,
  }),
}
