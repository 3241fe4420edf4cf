import type { MailTemplate } from './content.ts'

export const twoFactorDisabled: MailTemplate<{ resetUrl: string }> = {
  en: ({ appName, resetUrl }) => ({
    subject: `Two-factor authentication is off for your ${appName} account`,
    preheader: 'If this wasn’t you, choose a new password now.',
    heading: 'Two-factor authentication is off',
    paragraphs: [
      `Two-factor authentication was just turned off for your ${appName} account. Your backup codes and trusted devices were removed. If this was you, you can ignore this email.`,
      'If this wasn’t you, choose a new password now. That signs everyone else out. Then turn it on again.',
    ],
    action: { label: 'This wasn’t me', url: resetUrl },
  }),
  fr: ({ appName, resetUrl }) => ({
    subject: `Double authentification désactivée sur votre compte ${appName}`,
    preheader: 'Si ce n’était pas vous, choisissez tout de suite un nouveau mot de passe.',
    heading: 'La double authentification est désactivée',
    paragraphs: [
      `La double authentification de votre compte ${appName} vient d’être désactivée. Vos codes de secours et vos appareils de confiance ont été supprimés. Si c’était vous, vous n’avez rien à faire.`,
      'Si ce n’était pas vous, choisissez tout de suite un nouveau mot de passe : toutes les autres sessions seront fermées. Réactivez-la ensuite.',
    ],
    action: { label: 'Ce n’était pas moi', url: resetUrl },
  }),
}
