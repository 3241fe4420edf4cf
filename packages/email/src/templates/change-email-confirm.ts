import { maskAddress } from '../plain-words.ts'
import { duration, type MailTemplate } from './content.ts'

export const changeEmailConfirm: MailTemplate<{ account: string; url: string; hours: number }> = {
  en: ({ appName, account, url, hours }) => ({
    subject: `Confirm your new email address for ${appName}`,
    preheader: `Nothing changes until you confirm. The link works for ${duration.en.hours(hours)}, once.`,
    heading: 'Confirm your new email address',
    paragraphs: [
      `Someone, probably you, asked to use this address for the ${appName} account ${maskAddress(account)}. Once you confirm, you sign in to that account with this address. Only confirm if the account is yours.`,
    ],
    action: { label: 'Use this address', url },
    footnote: `The link works for ${duration.en.hours(hours)}, once. If you did not ask for this, ignore this email: nothing will change.`,
  }),
  fr: ({ appName, account, url, hours }) => ({
    subject: `Confirmez votre nouvelle adresse e-mail pour ${appName}`,
    preheader: `Rien ne change sans votre confirmation. Le lien est valable ${duration.fr.hours(hours)}, une seule fois.`,
    heading: 'Confirmez votre nouvelle adresse e-mail',
    paragraphs: [
      `Quelqu’un, sans doute vous, a demandé à utiliser cette adresse pour le compte ${appName} ${maskAddress(account)}. Une fois confirmée, cette adresse servira à se connecter à ce compte. Ne confirmez que si ce compte est le vôtre.`,
    ],
    action: { label: 'Utiliser cette adresse', url },
    footnote: `Le lien est valable ${duration.fr.hours(hours)}, une seule fois. Si vous n’avez rien demandé, ignorez ce message : rien ne changera.`,
  }),
}
