import { plainName } from '../plain-words.ts'
import type { MailTemplate } from './content.ts'

export const memberRemoved: MailTemplate<{ organization: string; organizationsUrl: string }> = {
  en: ({ appName, organization, organizationsUrl }) => ({
    subject: `You’re no longer a member of ${plainName(organization)} on ${appName}`,
    preheader: 'Nothing else about your account changes.',
    heading: `You were removed from ${plainName(organization)}`,
    paragraphs: [
      `You’re no longer a member of the organization “${plainName(organization)}” on ${appName}. Nothing else about your account changes.`,
    ],
    action: { label: 'See my organizations', url: organizationsUrl },
  }),
  fr: ({ appName, organization, organizationsUrl }) => ({
    subject: `Vous n’êtes plus membre de ${plainName(organization)} sur ${appName}`,
    preheader: 'Rien d’autre ne change pour votre compte.',
    heading: `Vous avez été retiré de ${plainName(organization)}`,
    paragraphs: [
      `Vous n’êtes plus membre de l’organisation « ${plainName(organization)} » sur ${appName}. Rien d’autre ne change pour votre compte.`,
    ],
    action: { label: 'Voir mes organisations', url: organizationsUrl },
  }),
}
