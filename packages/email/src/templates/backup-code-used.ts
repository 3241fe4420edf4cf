import type { MailTemplate } from './content.ts'

/** `left`: the codes that still work. */
export const backupCodeUsed: MailTemplate<{ left: number; securityUrl: string }> = {
  en: ({ appName, left, securityUrl }) => ({
    subject: `A backup code of your ${appName} account was used`,
    preheader: `Codes left: ${left}.`,
    heading: 'A backup code was used',
    paragraphs: [
      `One of the backup codes of your ${appName} account was just used, and works no more. Codes left: ${left}.`,
      'If few are left, make new ones in your settings. If it was not you, do it now, and choose a new password too.',
    ],
    action: { label: 'See the settings', url: securityUrl },
  }),
  fr: ({ appName, left, securityUrl }) => ({
    subject: `Un code de secours de votre compte ${appName} a été utilisé`,
    preheader: `Codes restants : ${left}.`,
    heading: 'Un code de secours a été utilisé',
    paragraphs: [
      `L’un des codes de secours de votre compte ${appName} vient d’être utilisé et ne fonctionne plus. Codes restants : ${left}.`,
      'S’il en reste peu, créez-en de nouveaux dans vos paramètres. Si ce n’était pas vous, faites-le tout de suite et choisissez aussi un nouveau mot de passe.',
    ],
    action: { label: 'Voir les paramètres', url: securityUrl },
  }),
}
