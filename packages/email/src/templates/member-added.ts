import { plainName } from '../plain-words.ts'
import type { MailTemplate } from './content.ts'

export const memberAdded: MailTemplate<{ actor: string; organization: string; organizationsUrl: string }> = {
  en: ({ appName, actor, organization, organizationsUrl }) => ({
    subject: `You are now a member of ${plainName(organization)} on ${appName}`,
    preheader: 'If you do not want this, leave it.',
    heading: `You were added to ${plainName(organization)}`,
    paragraphs: [
      `${plainName(actor) || 'Somebody'} added your ${appName} account to the organization “${plainName(organization)}”. Its members see your name and your email address.`,
      'If you do not want this, leave the organization in your settings.',
    ],
    action: { label: 'See my organizations', url: organizationsUrl },
  }),
  fr: ({ appName, actor, organization, organizationsUrl }) => ({
    subject: `Vous êtes maintenant membre de ${plainName(organization)} sur ${appName}`,
    preheader: 'Si vous ne le souhaitez pas, quittez-la.',
    heading: `Vous avez été ajouté à ${plainName(organization)}`,
    paragraphs: [
      `${plainName(actor) || 'Quelqu’un'} a ajouté votre compte ${appName} à l’organisation « ${plainName(organization)} ». Ses membres voient votre nom et votre adresse e-mail.`,
      'Si vous ne le souhaitez pas, quittez l’organisation dans vos paramètres.',
    ],
    action: { label: 'Voir mes organisations', url: organizationsUrl },
  }),
}
