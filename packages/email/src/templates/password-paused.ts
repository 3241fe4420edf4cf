import type { MailTemplate } from './content.ts'

/** `deviceKind` says which devices sent the wrong passwords. */
export const passwordPaused: MailTemplate<{ deviceKind: 'known' | 'unknown'; resetUrl: string }> = {
  en: ({ appName, deviceKind, resetUrl }) => ({
    subject: `Someone is guessing at the password of your ${appName} account`,
    preheader:
      deviceKind === 'known'
        ? 'It came from one of your devices or sessions.'
        : 'Your own devices still sign in, and need nothing from you.',
    heading: 'Too many wrong passwords',
    paragraphs:
      deviceKind === 'known'
        ? [
            `Someone entered many wrong passwords for your ${appName} account on one of your devices or in an open session. Your settings ask you to sign in again before they accept a password.`,
            'If it was not you, choose a new password: this ends every session. Then sign out everywhere under Sessions, so that we no longer recognize the device.',
          ]
        : [
            `Someone entered so many wrong passwords for your ${appName} account that your password no longer works on new devices. Devices where you have signed in before still work: you need do nothing there.`,
            'To sign in on a new device, choose a new password first.',
          ],
    action: { label: 'Choose a new password', url: resetUrl },
  }),
  fr: ({ appName, deviceKind, resetUrl }) => ({
    subject: `Quelqu’un essaie de deviner le mot de passe de votre compte ${appName}`,
    preheader:
      deviceKind === 'known'
        ? 'C’était quelqu’un qui a l’un de vos appareils ou l’une de vos sessions.'
        : 'Vos appareils se connectent toujours ; vous n’avez rien à y faire.',
    heading: 'Trop de mots de passe erronés',
    paragraphs:
      deviceKind === 'known'
        ? [
            `Une personne a saisi de nombreux mots de passe erronés pour votre compte ${appName} sur l’un de vos appareils ou dans une session ouverte. Les paramètres n’acceptent plus de mot de passe tant que vous ne vous êtes pas reconnecté.`,
            'Si ce n’était pas vous, choisissez un nouveau mot de passe : toutes les sessions prendront fin. Déconnectez ensuite tous les appareils sous Sessions, afin que celui-ci ne soit plus reconnu.',
          ]
        : [
            `Une personne a saisi tant de mots de passe erronés pour votre compte ${appName} que nous ne l’acceptons plus sur de nouveaux appareils, même s’il est juste. Les appareils sur lesquels vous vous êtes déjà connecté continuent comme avant : vous n’avez rien à y faire.`,
            'Seulement pour vous connecter sur un nouvel appareil, choisissez d’abord un nouveau mot de passe.',
          ],
    action: { label: 'Choisir un nouveau mot de passe', url: resetUrl },
  }),
}
