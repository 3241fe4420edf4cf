import type { MailTemplate } from './content.ts'

export const backupCodesReplaced: MailTemplate<{ resetUrl: string }> = {
  en: ({ appName, resetUrl }) => ({
    subject: `Your ${appName} account has new backup codes`,
    preheader: 'The former ones no longer work.',
    heading: 'Your backup codes were replaced',
    paragraphs: [
      `New backup codes were made for your ${appName} account; the former ones no longer work. If it was you, there is nothing to do.`,
      'If it was not you, choose a new password now: that signs everyone else out. Then make new backup codes yourself.',
    ],
    action: { label: 'It was not me', url: resetUrl },
  }),
  fr: ({ appName, resetUrl }) => ({
    subject: `Votre compte ${appName} a de nouveaux codes de secours`,
    preheader: 'Les anciens ne fonctionnent plus.',
    heading: 'Vos codes de secours ont été remplacés',
    paragraphs: [
      `De nouveaux codes de secours ont été créés pour votre compte ${appName} ; les anciens ne fonctionnent plus. Si c’était vous, vous n’avez rien à faire.`,
      'Si ce n’était pas vous, choisissez tout de suite un nouveau mot de passe : toutes les autres sessions seront fermées. Créez ensuite vous-même de nouveaux codes de secours.',
    ],
    action: { label: 'Ce n’était pas moi', url: resetUrl },
  }),
}
