import type { MailTemplate } from './content.ts'

export const accountLinked: MailTemplate<{ provider: string; accountsUrl: string }> = {
  en: ({ appName, provider, accountsUrl }) => ({
    subject: `You can now sign in to ${appName} with ${provider}`,
    preheader: 'If this wasn’t you, unlink it now.',
    heading: `${provider} was linked to your account`,
    paragraphs: [
      `A ${provider} account was linked to your ${appName} account and can now sign in to it. If this was you, you can ignore this email.`,
      'If this wasn’t you, unlink it and choose a new password.',
    ],
    action: { label: 'See linked accounts', url: accountsUrl },
  }),
  fr: ({ appName, provider, accountsUrl }) => ({
    subject: `Vous pouvez maintenant vous connecter à ${appName} avec ${provider}`,
    preheader: 'Si ce n’était pas vous, dissociez-le tout de suite.',
    heading: `${provider} a été lié à votre compte`,
    paragraphs: [
      `Un compte ${provider} a été lié à votre compte ${appName} et permet maintenant de s’y connecter. Si c’était vous, vous n’avez rien à faire.`,
      'Si ce n’était pas vous, dissociez-le et choisissez un nouveau mot de passe.',
    ],
    action: { label: 'Voir les comptes liés', url: accountsUrl },
  }),
}
