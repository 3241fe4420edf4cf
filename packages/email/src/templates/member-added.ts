import { plainName } from '../plain-words.ts'
import type { MailTemplate } from './content.ts'

export const memberAdded: MailTemplate<{ actor: string; organization: string; organizationsUrl: string }> = {
  en: ({ appName, actor, organization, organizationsUrl }) => ({
    subject: `You were added to ${plainName(organization)} on ${appName}`,
    preheader: 'Accept the membership, or leave the organization.',
    heading: `You were added to ${plainName(organization)}`,
    paragraphs: [
      `${plainName(actor) || 'Someone'} added your ${appName} account to the organization “${plainName(organization)}”. Its members can see your name and email address.`,
      'To stay a member, accept in your settings. If you don’t want to, you can leave the organization there.',
    ],
    action: { label: 'Accept or leave', url: organizationsUrl },
  }),
  fr: ({ appName, actor, organization, organizationsUrl }) => ({
    subject: `Vous avez été ajouté à ${plainName(organization)} sur ${appName}`,
    preheader: 'Acceptez, ou quittez l’organisation.',
    heading: `Vous avez été ajouté à ${plainName(organization)}`,
    paragraphs: [
      `${plainName(actor) || 'Quelqu’un'} a ajouté votre compte ${appName} à l’organisation « ${plainName(organization)} ». Ses membres voient votre nom et votre adresse e-mail.`,
      'Pour rester membre, acceptez dans vos paramètres. Sinon, c’est aussi là que vous pouvez quitter l’organisation.',
    ],
    action: { label: 'Accepter ou quitter', url: organizationsUrl },
  }),
}
