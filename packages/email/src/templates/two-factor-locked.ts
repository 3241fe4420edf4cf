import { duration, type MailTemplate } from './content.ts'

export const twoFactorLocked: MailTemplate<{ minutes: number; resetUrl: string }> = {
  en: ({ appName, minutes, resetUrl }) => ({
    subject: `Too many wrong codes for your ${appName} account`,
    preheader: 'If this wasn’t you, someone may know your password.',
    heading: 'Too many wrong codes',
    paragraphs: [
      `Someone entered too many wrong codes for your ${appName} account. Codes are blocked for ${duration.en.minutes(minutes)}. Your trusted devices still work.`,
      'If this wasn’t you, choose a new password now. Someone may know your current one.',
    ],
    action: { label: 'This wasn’t me', url: resetUrl },
  }),
  fr: ({ appName, minutes, resetUrl }) => ({
    subject: `Trop de codes incorrects pour votre compte ${appName}`,
    preheader: 'Si ce n’était pas vous, quelqu’un connaît peut-être votre mot de passe.',
    heading: 'Trop de codes incorrects',
    paragraphs: [
      `Trop de codes incorrects ont été saisis pour votre compte ${appName}. Les codes sont bloqués pendant ${duration.fr.minutes(minutes)}. Vos appareils de confiance fonctionnent toujours.`,
      'Si ce n’était pas vous, choisissez tout de suite un nouveau mot de passe : quelqu’un connaît peut-être l’actuel.',
    ],
    action: { label: 'Ce n’était pas moi', url: resetUrl },
  }),
}
