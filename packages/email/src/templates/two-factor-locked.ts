import { duration, type MailTemplate } from './content.ts'

export const twoFactorLocked: MailTemplate<{ minutes: number; resetUrl: string }> = {
  en: ({ appName, minutes, resetUrl }) => ({
    subject: `Too many wrong codes for your ${appName} account`,
    preheader: 'If it was not you, someone knows your password.',
    heading: 'Too many wrong codes',
    paragraphs: [
      `Someone with your password entered too many wrong codes for your ${appName} account. No code is accepted for ${duration.en.minutes(minutes)}; your trusted devices still sign in.`,
      'If it was not you, choose a new password now: someone knows your current one.',
    ],
    action: { label: 'It was not me', url: resetUrl },
  }),
  fr: ({ appName, minutes, resetUrl }) => ({
    subject: `Trop de codes erronés pour votre compte ${appName}`,
    preheader: 'Si ce n’était pas vous, quelqu’un connaît votre mot de passe.',
    heading: 'Trop de codes erronés',
    paragraphs: [
      `Une personne qui avait passé la première étape de la connexion à votre compte ${appName} a saisi trop de codes erronés. Aucun code n’est accepté pendant ${duration.fr.minutes(minutes)} ; vos appareils de confiance se connectent toujours.`,
      'Si ce n’était pas vous, choisissez tout de suite un nouveau mot de passe : quelqu’un connaît l’actuel.',
    ],
    action: { label: 'Ce n’était pas moi', url: resetUrl },
  }),
}
