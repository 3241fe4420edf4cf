import type { MailTemplate } from './content.ts'

export const passwordPaused: MailTemplate<{ resetUrl: string }> = {
  en: ({ appName, resetUrl }) => ({
    subject: `Somebody is guessing at the password of your ${appName} account`,
    preheader: 'Your own devices still sign in; new ones need a new password.',
    heading: 'Too many wrong passwords',
    paragraphs: [
      `Somebody entered so many wrong passwords for your ${appName} account that we take it on new devices no more, not even the right one. Devices on which you have signed in before go on as ever.`,
      'To sign in on a new device, choose a new password first.',
    ],
    action: { label: 'Choose a new password', url: resetUrl },
  }),
  fr: ({ appName, resetUrl }) => ({
    subject: `Quelqu’un essaie de deviner le mot de passe de votre compte ${appName}`,
    preheader: 'Vos appareils se connectent toujours ; les nouveaux demandent un nouveau mot de passe.',
    heading: 'Trop de mots de passe erronés',
    paragraphs: [
      `Une personne a saisi tant de mots de passe erronés pour votre compte ${appName} que nous ne l’acceptons plus sur de nouveaux appareils, même s’il est juste. Les appareils sur lesquels vous vous êtes déjà connecté continuent comme avant.`,
      'Pour vous connecter sur un nouvel appareil, choisissez d’abord un nouveau mot de passe.',
    ],
    action: { label: 'Choisir un nouveau mot de passe', url: resetUrl },
  }),
}
