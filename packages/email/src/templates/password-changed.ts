import type { MailTemplate } from './content.ts'

export const passwordChanged: MailTemplate<{ resetUrl: string }> = {
  en: ({ appName, resetUrl }) => ({
    subject: `Your ${appName} password was changed`,
    preheader: 'If it was you, there is nothing to do.',
    heading: 'Your password was changed',
    paragraphs: [
      `The password of your ${appName} account was just changed, and your other sessions were signed out. If it was you, there is nothing to do.`,
      'If it was not you, choose a new password now. That signs everyone else out.',
    ],
    action: { label: 'It was not me', url: resetUrl },
  }),
  fr: ({ appName, resetUrl }) => ({
    subject: `Votre mot de passe ${appName} a été modifié`,
    preheader: 'Si c’était vous, vous n’avez rien à faire.',
    heading: 'Votre mot de passe a été modifié',
    paragraphs: [
      `Le mot de passe de votre compte ${appName} vient d’être modifié, et vos autres sessions ont été fermées. Si c’était vous, vous n’avez rien à faire.`,
      'Si ce n’était pas vous, choisissez tout de suite un nouveau mot de passe. Toutes les autres sessions seront alors fermées.',
    ],
    action: { label: 'Ce n’était pas moi', url: resetUrl },
  }),
}
