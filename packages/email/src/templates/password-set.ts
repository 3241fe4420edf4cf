import type { MailTemplate } from './content.ts'

export const passwordSet: MailTemplate<{ resetUrl: string }> = {
  en: ({ appName, resetUrl }) => ({
    subject: `Your ${appName} account now has a password`,
    preheader: 'If this was you, you can ignore this email.',
    heading: 'Your account now has a password',
    paragraphs: [
      `A password was just added to your ${appName} account. You can sign in with it and this email, or the way you did before.`,
      'If this wasn’t you, choose a new password now. That signs everyone else out.',
    ],
    action: { label: 'This wasn’t me', url: resetUrl },
  }),
  fr: ({ appName, resetUrl }) => ({
    subject: `Votre compte ${appName} a maintenant un mot de passe`,
    preheader: 'Si c’était vous, vous n’avez rien à faire.',
    heading: 'Votre compte a maintenant un mot de passe',
    paragraphs: [
      `Un mot de passe vient d’être ajouté à votre compte ${appName}. Vous pouvez vous connecter avec ce mot de passe et cette adresse, ou comme avant.`,
      'Si ce n’était pas vous, choisissez tout de suite un nouveau mot de passe. Toutes les autres sessions seront alors fermées.',
    ],
    action: { label: 'Ce n’était pas moi', url: resetUrl },
  }),
}
