import type { MailTemplate } from './content.ts'

export const backupCodesReplaced: MailTemplate<{ resetUrl: string }> = {
  en: ({ appName, resetUrl }) => ({
    subject: `Your ${appName} account has new backup codes`,
    preheader: 'The old ones no longer work.',
    heading: 'Your backup codes were replaced',
    paragraphs: [
      `New backup codes were created for your ${appName} account, and the old ones no longer work. If this was you, you can ignore this email.`,
      'If this wasn’t you, choose a new password now. That signs everyone else out. Then create new backup codes.',
    ],
    action: { label: 'This wasn’t me', url: resetUrl },
  }),
  fr: ({ appName, resetUrl }) => ({
    subject: `Votre compte ${appName} a de nouveaux codes de secours`,
    preheader: 'Les anciens ne fonctionnent plus.',
    heading: 'Vos codes de secours ont été remplacés',
    paragraphs: [
      `De nouveaux codes de secours ont été créés pour votre compte ${appName}, et les anciens ne fonctionnent plus. Si c’était vous, vous n’avez rien à faire.`,
      'Si ce n’était pas vous, choisissez tout de suite un nouveau mot de passe : toutes les autres sessions seront fermées. Créez ensuite de nouveaux codes de secours.',
    ],
    action: { label: 'Ce n’était pas moi', url: resetUrl },
  }),
}
