import type { MailTemplate } from './content.ts'

export const accountLinked: MailTemplate<{ provider: string; accountsUrl: string }> = {
  en: ({ appName, provider, accountsUrl }) => ({
    subject: `${provider} now signs in to your ${appName} account`,
    preheader: 'If it was not you, remove it now.',
    heading: `${provider} was linked to your account`,
    paragraphs: [
      `From now on a ${provider} account signs in to your ${appName} account. If it was you, there is nothing to do.`,
      'If it was not you, unlink it and choose a new password.',
    ],
    action: { label: 'See linked accounts', url: accountsUrl },
  }),
  fr: ({ appName, provider, accountsUrl }) => ({
    subject: `${provider} permet maintenant de se connecter à votre compte ${appName}`,
    preheader: 'Si ce n’était pas vous, retirez-le tout de suite.',
    heading: `${provider} a été lié à votre compte`,
    paragraphs: [
      `Un compte ${provider} permet désormais de se connecter à votre compte ${appName}. Si c’était vous, vous n’avez rien à faire.`,
      'Si ce n’était pas vous, dissociez-le et choisissez un nouveau mot de passe.',
    ],
    action: { label: 'Voir les comptes liés', url: accountsUrl },
  }),
}
