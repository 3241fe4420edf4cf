import type { MailTemplate } from './content.ts'

export const alreadyRegistered: MailTemplate<{ signInUrl: string; resetUrl: string }> = {
  en: ({ appName, signInUrl, resetUrl }) => ({
    subject: `You already have a ${appName} account`,
    preheader: 'Someone tried to sign up with your email. Nothing has changed.',
    heading: 'You already have an account',
    paragraphs: [
      `Someone, probably you, just tried to sign up for ${appName} with this email. You already have an account, so nothing was created or changed.`,
      'If this was you, sign in. If you forgot your password, choose a new one.',
    ],
    action: { label: 'Sign in', url: signInUrl },
    secondAction: { label: 'Choose a new password', url: resetUrl },
    footnote: 'If this wasn’t you, you can ignore this email. Your account is safe, and we didn’t reveal that it exists.',
  }),
  fr: ({ appName, signInUrl, resetUrl }) => ({
    subject: `Vous avez déjà un compte ${appName}`,
    preheader: 'Quelqu’un a essayé de s’inscrire avec votre adresse. Rien n’a changé.',
    heading: 'Vous avez déjà un compte',
    paragraphs: [
      `Quelqu’un, sans doute vous, vient d’essayer de s’inscrire sur ${appName} avec cette adresse. Elle est déjà liée à un compte : rien n’a été créé et rien n’a changé.`,
      'Si c’était vous, connectez-vous. Si vous avez oublié votre mot de passe, choisissez-en un nouveau.',
    ],
    action: { label: 'Se connecter', url: signInUrl },
    secondAction: { label: 'Choisir un nouveau mot de passe', url: resetUrl },
    footnote:
      'Si ce n’était pas vous, vous n’avez rien à faire. Votre compte est en sécurité et son existence n’a pas été révélée à cette personne.',
  }),
}
