import type { MailTemplate } from './content.ts'

export const twoFactorEnabled: MailTemplate<{ securityUrl: string; resetUrl: string }> = {
  en: ({ appName, securityUrl, resetUrl }) => ({
    subject: `Signing in to ${appName} now needs a code`,
    preheader: 'Two-factor authentication is on.',
    heading: 'Two-factor authentication is on',
    paragraphs: [
      `From now on, signing in to your ${appName} account needs a code from your authenticator app, or one of your backup codes. Your other sessions were signed out.`,
      'Keep the backup codes where you find them without your phone. If it was not you, choose a new password now: that signs everyone else out. Then ask for help, since the code is not yours.',
    ],
    action: { label: 'See the settings', url: securityUrl },
    secondAction: { label: 'It was not me', url: resetUrl },
  }),
  fr: ({ appName, securityUrl, resetUrl }) => ({
    subject: `La connexion à ${appName} demande maintenant un code`,
    preheader: 'La double authentification est activée.',
    heading: 'La double authentification est activée',
    paragraphs: [
      `Désormais, la connexion à votre compte ${appName} demande un code de votre application d’authentification, ou l’un de vos codes de secours. Vos autres sessions ont été fermées.`,
      'Gardez les codes de secours là où vous les trouverez sans votre téléphone. Si ce n’était pas vous, choisissez tout de suite un nouveau mot de passe : toutes les autres sessions seront fermées. Demandez ensuite de l’aide, car le code n’est pas le vôtre.',
    ],
    action: { label: 'Voir les paramètres', url: securityUrl },
    secondAction: { label: 'Ce n’était pas moi', url: resetUrl },
  }),
}
