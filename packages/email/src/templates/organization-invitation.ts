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
    subject: `You’re invited to join ${plainName(organization)} on ${appName}`,
    preheader: `This invitation expires in ${duration.en.hours(hours)}.`,
    heading: `Join ${plainName(organization)}`,
    paragraphs: [
      `${plainName(inviter) || 'Someone'} invited you to join the organization “${plainName(organization)}” on ${appName} as ${as.en[role]}.`,
      `The invitation is for ${address}. Sign in or sign up with this email to accept it.`,
    ],
    action: { label: 'See the invitation', url },
    footnote: `This link works once and expires in ${duration.en.hours(hours)}. If you don’t know who this is, ignore this email: nothing happens unless you accept.`,
  }),
  fr: ({ appName, inviter, organization, role, address, url, hours }) => ({
    subject: `Invitation à rejoindre ${plainName(organization)} sur ${appName}`,
    preheader: `Cette invitation est valable ${duration.fr.hours(hours)}.`,
    heading: `Rejoignez ${plainName(organization)}`,
    paragraphs: [
      `${plainName(inviter) || 'Quelqu’un'} vous invite à rejoindre l’organisation « ${plainName(organization)} » sur ${appName}, en tant que ${as.fr[role]}.`,
      `L’invitation est destinée à ${address}. Connectez-vous ou inscrivez-vous avec cette adresse pour l’accepter.`,
    ],
    action: { label: 'Voir l’invitation', url },
    footnote: `Ce lien est valable ${duration.fr.hours(hours)} et ne sert qu’une fois. Si vous ne connaissez pas cette personne, ignorez cet e-mail : rien ne se fera sans votre accord.`,
  }),
}
