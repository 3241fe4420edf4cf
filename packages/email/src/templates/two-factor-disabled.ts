import type { MailTemplate } from './content.ts'

export const twoFactorDisabled: MailTemplate<{ resetUrl: string }> = {
  en: ({ appName, resetUrl }) => ({
    subject: `Signing in to ${appName} no longer needs a code`,
    preheader: 'If it was not you, take your account back.',
    heading: 'Two-factor authentication is off',
    paragraphs: [
      `Two-factor authentication of your ${appName} account was just switched off. Its backup codes and trusted devices are gone. If it was you, there is nothing to do.`,
      'If it was not you, choose a new password now: that signs everyone else out. Then switch it on again.',
    ],
    action: { label: 'It was not me', url: resetUrl },
  }),
  fr: ({ appName, resetUrl }) => ({
    subject: `La connexion à ${appName} ne demande plus de code`,
    preheader: 'Si ce n’était pas vous, reprenez votre compte.',
    heading: 'La double authentification est désactivée',
    paragraphs: [
      `La double authentification de votre compte ${appName} vient d’être désactivée. Ses codes de secours et ses appareils de confiance n’existent plus. Si c’était vous, vous n’avez rien à faire.`,
      'Si ce n’était pas vous, choisissez tout de suite un nouveau mot de passe : toutes les autres sessions seront fermées. Activez-la ensuite à nouveau.',
    ],
    action: { label: 'Ce n’était pas moi', url: resetUrl },
  }),
}
