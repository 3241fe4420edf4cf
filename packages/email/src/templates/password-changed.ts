import type { MailTemplate } from './content.ts'

export const passwordChanged: MailTemplate<{ resetUrl: string }> = {
  en: ({ appName, resetUrl }) => ({
    subject: `Your ${appName} password was changed`,
    preheader: 'If this was you, you can ignore this email.',
    heading: 'Your password was changed',
    paragraphs: [
      `The password of your ${appName} account was just changed, and your other devices were signed out. If this was you, you can ignore this email.`,
      'If this wasn’t you, choose a new password now. That signs everyone else out.',
    ],
    action: { label: 'This wasn’t me', url: resetUrl },
  }),
  fr: ({ appName, resetUrl }) => ({
    subject: `Votre mot de passe ${appName} a été modifié`,
    preheader: 'Si c’était vous, vous n’avez rien à faire.',
    heading: 'Votre mot de passe a été modifié',
    paragraphs: [
      `Le mot de passe de votre compte ${appName} vient d’être modifié, et vos autres appareils ont été déconnectés. Si c’était vous, vous n’avez rien à faire.`,
      'Si ce n’était pas vous, choisissez tout de suite un nouveau mot de passe. Toutes les autres sessions seront alors fermées.',
    ],
    action: { label: 'Ce n’était pas moi', url: resetUrl },
  }),
}
