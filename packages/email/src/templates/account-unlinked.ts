import type { MailTemplate } from './content.ts'

/** `provider` is null when it was the password that was removed. */
export const accountUnlinked: MailTemplate<{ provider: string | null; resetUrl: string }> = {
  en: ({ appName, provider, resetUrl }) => {
    const what = provider ?? 'The password'
    return {
      subject: `${what} no longer signs in to your ${appName} account`,
      preheader: 'If it was not you, take your account back.',
      heading: `${what} was unlinked from your account`,
      paragraphs: [
        `${what} no longer signs in to your ${appName} account. If it was you, there is nothing to do.`,
        'If it was not you, choose a new password: that signs everyone else out.',
      ],
      action: { label: 'Choose a new password', url: resetUrl },
    }
  },
  fr: ({ appName, provider, resetUrl }) => {
    const what = provider ?? 'Le mot de passe'
    return {
      subject: `${what} ne permet plus de se connecter à votre compte ${appName}`,
      preheader: 'Si ce n’était pas vous, reprenez votre compte.',
      heading: `${what} a été dissocié de votre compte`,
      paragraphs: [
        `${what} ne permet plus de se connecter à votre compte ${appName}. Si c’était vous, vous n’avez rien à faire.`,
        'Si ce n’était pas vous, choisissez un nouveau mot de passe : toutes les autres sessions seront fermées.',
      ],
      action: { label: 'Choisir un nouveau mot de passe', url: resetUrl },
    }
  },
}
