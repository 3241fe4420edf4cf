import { duration, type MailTemplate } from './content.ts'

export const verifyEmail: MailTemplate<{ url: string; hours: number }> = {
  en: ({ appName, url, hours }) => ({
    subject: `Confirm your email address for ${appName}`,
    preheader: `One click and you can sign in. The link works for ${duration.en.hours(hours)}.`,
    heading: 'Confirm your email address',
    paragraphs: [`Thank you for signing up to ${appName}. Confirm that this address is yours, and you can sign in.`],
    action: { label: 'Confirm my address', url },
    footnote: `The link works for ${duration.en.hours(hours)}. If you did not sign up, ignore this email: the address can’t be used to sign in until it is confirmed.`,
  }),
  fr: ({ appName, url, hours }) => ({
    subject: `Confirmez votre adresse e-mail pour ${appName}`,
    preheader: `Un clic et vous pourrez vous connecter. Le lien est valable ${duration.fr.hours(hours)}.`,
    heading: 'Confirmez votre adresse e-mail',
    paragraphs: [
      `Merci pour votre inscription sur ${appName}. Confirmez que cette adresse est bien la vôtre pour pouvoir vous connecter.`,
    ],
    action: { label: 'Confirmer mon adresse', url },
    footnote: `Le lien est valable ${duration.fr.hours(hours)}. Si vous n’avez pas demandé cette inscription, ignorez ce message : personne ne peut se connecter avec cette adresse tant qu’elle n’est pas confirmée.`,
  }),
}
