import { duration, type MailTemplate } from './content.ts'

export const verifyEmail: MailTemplate<{ url: string; hours: number }> = {
  en: ({ appName, url, hours }) => ({
    subject: `Confirm your email for ${appName}`,
    preheader: `One click and you can sign in. This link expires in ${duration.en.hours(hours)}.`,
    heading: 'Confirm your email',
    paragraphs: [`Thanks for signing up for ${appName}. Confirm that this email is yours, and you can sign in.`],
    action: { label: 'Confirm my email', url },
    footnote: `This link expires in ${duration.en.hours(hours)}. If you didn’t sign up, ignore this email: it can’t be used to sign in until it’s confirmed.`,
  }),
  fr: ({ appName, url, hours }) => ({
    subject: `Confirmez votre adresse e-mail pour ${appName}`,
    preheader: `Un clic et vous pourrez vous connecter. Ce lien est valable ${duration.fr.hours(hours)}.`,
    heading: 'Confirmez votre adresse e-mail',
    paragraphs: [
      `Merci de vous être inscrit sur ${appName}. Confirmez que cette adresse est bien la vôtre pour pouvoir vous connecter.`,
    ],
    action: { label: 'Confirmer mon adresse', url },
    footnote: `Ce lien est valable ${duration.fr.hours(hours)}. Si vous ne vous êtes pas inscrit, ignorez cet e-mail : personne ne peut se connecter avec cette adresse tant qu’elle n’est pas confirmée.`,
  }),
}
