import type { MailTemplate } from './content.ts'

/** `deviceKind` says which devices sent the wrong passwords. */
export const passwordPaused: MailTemplate<{ deviceKind: 'known' | 'unknown'; resetUrl: string }> = {
  en: ({ appName, deviceKind, resetUrl }) => ({
    subject: `Someone is trying to guess your ${appName} password`,
    preheader:
      deviceKind === 'known' ? 'The attempts came from one of your devices or sessions.' : 'Your own devices still work.',
    heading: 'Too many wrong passwords',
    paragraphs:
      deviceKind === 'known'
        ? [
            `Someone entered many wrong passwords for your ${appName} account on one of your devices or in an open session. Your settings won’t accept a password until you sign in again.`,
            'If this wasn’t you, choose a new password. That ends every session. Then sign out everywhere under Sessions, so that we no longer recognize the device.',
          ]
        : [
            `Someone entered so many wrong passwords for your ${appName} account that your password no longer works on new devices. Devices you’ve signed in on before still work, so there’s nothing to do there.`,
            'To sign in on a new device, choose a new password first.',
          ],
    action: { label: 'Choose a new password', url: resetUrl },
  }),
  fr: ({ appName, deviceKind, resetUrl }) => ({
    subject: `Quelqu’un essaie de deviner le mot de passe de votre compte ${appName}`,
    preheader:
      deviceKind === 'known'
        ? 'Les tentatives venaient de l’un de vos appareils ou de l’une de vos sessions.'
        : 'Vos propres appareils fonctionnent toujours.',
    heading: 'Trop de mots de passe incorrects',
    paragraphs:
      deviceKind === 'known'
        ? [
            `Quelqu’un a saisi de nombreux mots de passe incorrects pour votre compte ${appName} sur l’un de vos appareils ou dans une session ouverte. Vos paramètres n’accepteront plus de mot de passe tant que vous ne vous serez pas reconnecté.`,
            'Si ce n’était pas vous, choisissez un nouveau mot de passe : toutes les sessions prendront fin. Déconnectez ensuite tous vos appareils dans Sessions, pour que celui-ci ne soit plus reconnu.',
          ]
        : [
            `Quelqu’un a saisi tant de mots de passe incorrects pour votre compte ${appName} que votre mot de passe ne fonctionne plus sur de nouveaux appareils. Ceux sur lesquels vous vous êtes déjà connecté fonctionnent toujours : vous n’avez rien à y faire.`,
            'Pour vous connecter sur un nouvel appareil, choisissez d’abord un nouveau mot de passe.',
          ],
    action: { label: 'Choisir un nouveau mot de passe', url: resetUrl },
  }),
}
