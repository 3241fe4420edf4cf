import { plainName } from '../plain-words.ts'
import { duration, type MailTemplate } from './content.ts'

export type EmailChangeUndoneEffects = {
  passwordRemoved: boolean
  /** Names in the email, ids elsewhere. */
  unlinkedProviders: string[]
  /** `removed`: enabled after the trust cutoff. `restored`: disabled or replaced after it. */
  twoFactor: 'none' | 'kept' | 'removed' | 'restored'
  backupCodesRemoved: boolean
  trustedDevices: number
  invitations: number
  tradingDisabled: boolean
  riskLevelLowered: boolean
  profileRestored: boolean
}

export const emailChangeUndone: MailTemplate<{
  url: string
  minutes: number
  securityUrl: string
  effects: EmailChangeUndoneEffects
}> = {
  en: ({ appName, url, minutes, securityUrl, effects }) => ({
    subject: `Your ${appName} account is back. Choose a new password`,
    preheader: 'The email change was undone. Choose a new password to sign in.',
    heading: 'Your email change was undone',
    paragraphs: [
      'Your account uses this email again. We signed everyone out. Choose a new password to sign in.',
      ...list('We also did this:', [
        effects.passwordRemoved && 'Removed the password.',
        ...effects.unlinkedProviders.map((name) => `Unlinked ${plainName(name)}. You can link it again.`),
        effects.twoFactor === 'removed' &&
          'Turned off two-factor authentication, since it was turned on recently. Set it up again.',
        effects.twoFactor === 'restored' &&
          'Turned your earlier two-factor authentication on again. Use the authenticator you had before.',
        effects.backupCodesRemoved && 'Removed the backup codes that were created recently. Create new ones.',
        effects.trustedDevices > 0 && 'Every device needs a two-factor code again.',
        effects.invitations > 0 && 'Canceled the pending invitations you sent. Send them again if you need to.',
        effects.tradingDisabled && 'Turned off trading. Turn it on again when you are ready.',
        effects.riskLevelLowered && 'Set your risk level to the lowest.',
        effects.profileRestored && 'Restored your earlier name and picture.',
      ]),
    ],
    action: { label: 'Choose a new password', url },
    ...(effects.twoFactor === 'removed' && {
      secondAction: { label: 'Set up two-factor authentication again', url: securityUrl },
    }),
    footnote: `This link works once and expires in ${duration.en.minutes(minutes)}. You can request another on the sign-in page.`,
  }),
  fr: ({ appName, url, minutes, securityUrl, effects }) => ({
    subject: `Vous avez récupéré votre compte ${appName}. Choisissez un nouveau mot de passe`,
    preheader: 'Le changement d’adresse a été annulé. Choisissez un nouveau mot de passe pour vous connecter.',
    heading: 'Le changement d’adresse a été annulé',
    paragraphs: [
      'Votre compte utilise de nouveau cette adresse. Toutes les sessions ont été fermées. Choisissez un nouveau mot de passe pour vous connecter.',
      ...list('Nous avons aussi fait ceci :', [
        effects.passwordRemoved && 'Le mot de passe a été supprimé.',
        ...effects.unlinkedProviders.map(
          (name) => `${plainName(name)} n’est plus lié à votre compte. Vous pouvez le lier de nouveau.`,
        ),
        effects.twoFactor === 'removed' &&
          'La double authentification, activée récemment, a été désactivée. Pensez à la configurer de nouveau.',
        effects.twoFactor === 'restored' &&
          'Votre ancienne double authentification est de nouveau active. Utilisez l’application que vous aviez auparavant.',
        effects.backupCodesRemoved && 'Les codes de secours créés récemment ont été supprimés. Créez-en de nouveaux.',
        effects.trustedDevices > 0 && 'Chaque appareil demandera de nouveau un code.',
        effects.invitations > 0 && 'Les invitations en attente que vous aviez envoyées ont été annulées. Renvoyez-les si besoin.',
        effects.tradingDisabled && 'Le trading a été désactivé. Vous pourrez le réactiver.',
        effects.riskLevelLowered && 'Votre niveau de risque est maintenant le plus bas.',
        effects.profileRestored && 'Votre nom et votre photo d’avant ont été rétablis.',
      ]),
    ],
    action: { label: 'Choisir un nouveau mot de passe', url },
    ...(effects.twoFactor === 'removed' && {
      secondAction: { label: 'Configurer de nouveau la double authentification', url: securityUrl },
    }),
    footnote: `Ce lien est valable ${duration.fr.minutes(minutes)} et ne sert qu’une fois. Vous pouvez en demander un autre sur la page de connexion.`,
  }),
}

/** The items under their title; nothing without items. */
function list(title: string, items: (string | false)[]): string[] {
  const shown = items.filter((item) => item !== false).map((item) => `• ${item}`)
  return shown.length > 0 ? [title, ...shown] : []
}
