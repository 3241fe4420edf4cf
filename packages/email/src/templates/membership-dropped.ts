import { plainName } from '../plain-words.ts'
import type { MailTemplate } from './content.ts'

export const membershipDropped: MailTemplate<{ organization: string; most: number; organizationsUrl: string }> = {
  en: ({ appName, organization, most, organizationsUrl }) => ({
    subject: `Your membership in ${plainName(organization)} on ${appName} has ended`,
    preheader: 'You were at the limit when you created or joined another organization.',
    heading: `You’re no longer a member of ${plainName(organization)}`,
    paragraphs: [
      `You created or joined another organization, and you can be in up to ${most}. Someone had added you to “${plainName(organization)}” and you hadn’t accepted, so that membership ended.`,
      'To come back, ask its members for an invitation.',
    ],
    action: { label: 'See my organizations', url: organizationsUrl },
  }),
  fr: ({ appName, organization, most, organizationsUrl }) => ({
    subject: `Vous ne faites plus partie de ${plainName(organization)} sur ${appName}`,
    preheader: 'Vous avez rejoint une autre organisation alors que vous aviez atteint la limite.',
    heading: `Vous n’êtes plus membre de ${plainName(organization)}`,
    paragraphs: [
      `Vous avez créé ou rejoint une autre organisation, et vous ne pouvez pas en avoir plus de ${most}. Quelqu’un vous avait ajouté à « ${plainName(organization)} » et vous n’aviez pas accepté : vous n’en faites donc plus partie.`,
      'Pour revenir, demandez une invitation à ses membres.',
    ],
    action: { label: 'Voir mes organisations', url: organizationsUrl },
  }),
}
