import { maskAddress } from '../plain-words.ts'
import { duration, type MailTemplate } from './content.ts'

export const changeEmailConfirm: MailTemplate<{ account: string; url: string; hours: number }> = {
  en: ({ appName, account, url, hours }) => ({
    subject: `Confirm your new email for ${appName}`,
    preheader: `Nothing changes until you confirm. This link expires in ${duration.en.hours(hours)}.`,
    heading: 'Confirm your new email',
    paragraphs: [
      `Someone, probably you, asked to use this email for the ${appName} account ${maskAddress(account)}. Once you confirm, you’ll sign in to that account with this email. Confirm only if the account is yours.`,
    ],
    action: { label: 'Use this email', url },
    footnote: `This link works once and expires in ${duration.en.hours(hours)}. If you didn’t ask for this, ignore this email: nothing will change.`,
  }),
  fr: ({ appName, account, url, hours }) => ({
    subject: `Confirmez votre nouvelle adresse e-mail pour ${appName}`,
    preheader: `Rien ne change sans votre confirmation. Ce lien est valable ${duration.fr.hours(hours)}.`,
    heading: 'Confirmez votre nouvelle adresse e-mail',
    paragraphs: [
      `Quelqu’un, sans doute vous, a demandé à utiliser cette adresse pour le compte ${appName} ${maskAddress(account)}. Une fois confirmée, cette adresse servira à se connecter à ce compte. Ne confirmez que si ce compte est le vôtre.`,
    ],
    action: { label: 'Utiliser cette adresse', url },
    footnote: `Ce lien est valable ${duration.fr.hours(hours)} et ne sert qu’une fois. Si vous n’avez rien demandé, ignorez cet e-mail : rien ne changera.`,
  }),
}
