import type { MailTemplate } from './content.ts'

/** `left`: the codes that still work. */
export const backupCodeUsed: MailTemplate<{ left: number; securityUrl: string }> = {
  en: ({ appName, left, securityUrl }) => ({
    subject: `A backup code was used on your ${appName} account`,
    preheader: `Codes left: ${left}.`,
    heading: 'A backup code was used',
    paragraphs: [
      `One of your ${appName} backup codes was just used and no longer works. Codes left: ${left}.`,
      'If you’re running low, create new ones in your settings. If this wasn’t you, do it now and choose a new password too.',
    ],
    action: { label: 'Open security settings', url: securityUrl },
  }),
  fr: ({ appName, left, securityUrl }) => ({
    subject: `Un code de secours de votre compte ${appName} a été utilisé`,
    preheader: `Codes restants : ${left}.`,
    heading: 'Un code de secours a été utilisé',
    paragraphs: [
      `L’un de vos codes de secours ${appName} vient d’être utilisé et ne fonctionne plus. Codes restants : ${left}.`,
      'S’il en reste peu, créez-en de nouveaux dans vos paramètres. Si ce n’était pas vous, faites-le tout de suite et choisissez aussi un nouveau mot de passe.',
    ],
    action: { label: 'Ouvrir les paramètres de sécurité', url: securityUrl },
  }),
}
