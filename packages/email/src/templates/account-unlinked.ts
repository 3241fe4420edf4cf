import type { MailTemplate } from './content.ts'

/** `provider` is null when it was the password that was removed. */
export const accountUnlinked: MailTemplate<{ provider: string | null; resetUrl: string }> = {
  en: ({ appName, provider, resetUrl }) => {
    const what = provider ?? 'The password'
    return {
      subject: `${what} no longer signs you in to ${appName}`,
      preheader: 'If this wasn’t you, choose a new password now.',
      heading: `${what} was removed from your account`,
      paragraphs: [
        `You can no longer sign in to your ${appName} account with ${provider ?? 'the password'}. If this was you, you can ignore this email.`,
        'If this wasn’t you, choose a new password now. That signs everyone else out.',
      ],
      action: { label: 'Choose a new password', url: resetUrl },
    }
  },
  fr: ({ appName, provider, resetUrl }) => {
    const what = provider ?? 'Le mot de passe'
    return {
      subject: `${what} ne permet plus de se connecter à votre compte ${appName}`,
      preheader: 'Si ce n’était pas vous, choisissez tout de suite un nouveau mot de passe.',
      heading: `${what} a été retiré de votre compte`,
      paragraphs: [
        `Vous ne pouvez plus vous connecter à votre compte ${appName} avec ${provider ?? 'le mot de passe'}. Si c’était vous, vous n’avez rien à faire.`,
        'Si ce n’était pas vous, choisissez tout de suite un nouveau mot de passe : toutes les autres sessions seront fermées.',
      ],
      action: { label: 'Choisir un nouveau mot de passe', url: resetUrl },
    }
  },
}
