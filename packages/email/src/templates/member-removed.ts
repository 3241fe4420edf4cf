import { plainName } from '../plain-words.ts'
import type { MailTemplate } from './content.ts'

export const memberRemoved: MailTemplate<{ organization: string; organizationsUrl: string }> = {
  en: ({ appName, organization, organizationsUrl }) => ({
    subject: `You are no longer a member of ${plainName(organization)} on ${appName}`,
    preheader: 'Your account itself stays as it is.',
    heading: `You were removed from ${plainName(organization)}`,
    paragraphs: [
      `Your ${appName} account is no longer a member of the organization “${plainName(organization)}”. The account itself stays as it is.`,
    ],
    action: { label: 'See my organizations', url: organizationsUrl },
  }),
  fr: ({ appName, organization, organizationsUrl }) => ({
    subject: `Vous n’êtes plus membre de ${plainName(organization)} sur ${appName}`,
    preheader: 'Votre compte lui-même ne change pas.',
    heading: `Vous avez été retiré de ${plainName(organization)}`,
    paragraphs: [
      `Votre compte ${appName} n’est plus membre de l’organisation « ${plainName(organization)} ». Le compte lui-même ne change pas.`,
    ],
    action: { label: 'Voir mes organisations', url: organizationsUrl },
  }),
}
