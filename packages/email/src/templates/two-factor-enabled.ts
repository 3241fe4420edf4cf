import type { MailTemplate } from './content.ts'

export const twoFactorEnabled: MailTemplate<{ securityUrl: string; resetUrl: string }> = {
  en: ({ appName, securityUrl, resetUrl }) => ({
    subject: `Two-factor authentication is on for your ${appName} account`,
    preheader: 'You now need a code to sign in.',
    heading: 'Two-factor authentication is on',
    paragraphs: [
      `From now on, you need a code from your authenticator app or a backup code to sign in to your ${appName} account. Your other devices were signed out.`,
      `Keep your backup codes somewhere you can reach without your phone. If this wasn’t you, choose a new password now. That signs everyone else out. Then contact the ${appName} team, since someone else has the codes.`,
    ],
    action: { label: 'Open security settings', url: securityUrl },
    secondAction: { label: 'This wasn’t me', url: resetUrl },
  }),
  fr: ({ appName, securityUrl, resetUrl }) => ({
    subject: `Double authentification activée sur votre compte ${appName}`,
    preheader: 'Il vous faut maintenant un code pour vous connecter.',
    heading: 'La double authentification est activée',
    paragraphs: [
      `Pour vous connecter à votre compte ${appName}, il vous faut désormais un code de votre application d’authentification ou l’un de vos codes de secours. Vos autres appareils ont été déconnectés.`,
      `Gardez vos codes de secours là où vous les retrouverez sans votre téléphone. Si ce n’était pas vous, choisissez tout de suite un nouveau mot de passe : toutes les autres sessions seront fermées. Contactez ensuite l’équipe ${appName}, car quelqu’un d’autre a les codes.`,
    ],
    action: { label: 'Ouvrir les paramètres de sécurité', url: securityUrl },
    secondAction: { label: 'Ce n’était pas moi', url: resetUrl },
  }),
}
