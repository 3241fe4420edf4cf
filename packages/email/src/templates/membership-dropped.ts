import { plainName } from '../plain-words.ts'
import type { MailTemplate } from './content.ts'

export const membershipDropped: MailTemplate<{ organization: string; most: number; organizationsUrl: string }> = {
  en: ({ appName, organization, most, organizationsUrl }) => ({
    subject: `Your membership of ${plainName(organization)} on ${appName} has ended`,
    preheader: 'You joined another organization and had reached the limit.',
    heading: `You are no longer a member of ${plainName(organization)}`,
    paragraphs: [
      `You created or joined another organization, and the limit is ${most}. A member had added you to “${plainName(organization)}” and you had not accepted, so that membership ended.`,
      'To come back, ask its members for an invitation.',
    ],
    action: { label: 'See my organizations', url: organizationsUrl },
  }),
  fr: ({ appName, organization, most, organizationsUrl }) => ({
    subject: `Fin de votre appartenance à ${plainName(organization)} sur ${appName}`,
    preheader: 'Vous avez rejoint une autre organisation et aviez atteint la limite.',
    heading: `Vous n’êtes plus membre de ${plainName(organization)}`,
    paragraphs: [
      `Vous avez créé ou rejoint une autre organisation, et vous pouvez appartenir à ${most} organisations au plus. Un autre membre vous avait ajouté à « ${plainName(organization)} » et vous n’aviez pas accepté : cette appartenance a donc pris fin.`,
      'Pour revenir, demandez une invitation à ses membres.',
    ],
    action: { label: 'Voir mes organisations', url: organizationsUrl },
  }),
}
