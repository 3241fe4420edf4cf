import { plainName } from '../plain-words.ts'
import { duration, type MailTemplate } from './content.ts'

type Role = 'owner' | 'admin' | 'member'

const as: Record<'en' | 'fr', Record<Role, string>> = {
  en: { owner: 'an owner', admin: 'an administrator', member: 'a member' },
  fr: { owner: 'propriétaire', admin: 'administrateur', member: 'membre' },
}

/** To an address that may have no account yet: `inviter` and `organization` are names that other users choose. */
export const organizationInvitation: MailTemplate<{
  inviter: string
  organization: string
  role: Role
  address: string
  url: string
  hours: number
}> = {
  en: ({ appName, inviter, organization, role, address, url, hours }) => ({
    subject: `You are invited to join ${plainName(organization)} on ${appName}`,
    preheader: `The invitation is open for ${duration.en.hours(hours)}.`,
    heading: `Join ${plainName(organization)}`,
    paragraphs: [
      `${plainName(inviter) || 'Someone'} invites you to be ${as.en[role]} of the organization “${plainName(organization)}” on ${appName}.`,
      `The invitation is for ${address}: sign in with this address, or sign up with it first.`,
    ],
    action: { label: 'See the invitation', url },
    footnote: `The link works for ${duration.en.hours(hours)}, once. If you do not know who this is, ignore this email: nothing happens without your consent.`,
  }),
  fr: ({ appName, inviter, organization, role, address, url, hours }) => ({
    subject: `Vous êtes invité à rejoindre ${plainName(organization)} sur ${appName}`,
    preheader: `L’invitation est valable ${duration.fr.hours(hours)}.`,
    heading: `Rejoignez ${plainName(organization)}`,
    paragraphs: [
      `${plainName(inviter) || 'Quelqu’un'} vous invite à devenir ${as.fr[role]} de l’organisation « ${plainName(organization)} » sur ${appName}.`,
      `L’invitation est destinée à ${address} : connectez-vous avec cette adresse, ou inscrivez-vous d’abord.`,
    ],
    action: { label: 'Voir l’invitation', url },
    footnote: `Le lien est valable ${duration.fr.hours(hours)}, une seule fois. Si vous ne connaissez pas cette personne, ignorez ce message : rien ne se fait sans votre accord.`,
  }),
}
