import type { mailed as english } from '../en/mailed.ts'

export const mailed: typeof english = {
  acceptInvitation: {
    title: 'Vous avez une invitation',
    signedOut: 'Connectez-vous ou inscrivez-vous avec l’adresse e‑mail qui a reçu cette invitation.',
    signIn: 'Se connecter',
    signUp: 'Créer un compte',
    someone: 'Quelqu’un',
    invites: (role) => ` vous invite à rejoindre cette organisation. Votre rôle : ${role}.`,
    seen: 'Ses membres verront votre nom et votre adresse e‑mail.',
    accept: 'Rejoindre',
    decline: 'Refuser',
    signedInAs: 'Votre compte actuel : ',
    signOut: 'Se connecter avec un autre compte',
    organizations: 'Vos organisations',
  },
  resetPassword: {
    title: 'Choisir un nouveau mot de passe',
    lead: 'Il remplacera l’actuel et déconnectera tous vos appareils.',
    password: 'Nouveau mot de passe',
    submit: 'Enregistrer le mot de passe',
    deadLead:
      'Nos liens ne servent qu’une fois, et seulement pendant un court moment. Si vous avez rechargé cette page, rouvrez le lien reçu par e‑mail.',
    newLink: 'Recevoir un nouveau lien',
    signIn: 'Se connecter',
  },
  createPasskey: {
    title: 'Créez votre clé d’accès',
    lead: 'Elle ouvrira votre compte ',
    submit: 'Créer ma clé d’accès',
    withoutScript: 'Activez JavaScript, ou inscrivez-vous avec un mot de passe.',
    newLink: 'Recevoir un nouveau lien',
    signIn: 'Se connecter',
  },
  undoEmailChange: {
    title: 'Récupérer votre compte',
    lead: 'L’adresse e‑mail de votre compte a été modifiée. Si c’était vous, fermez cette page.',
    consequences: 'Sinon, annulez ce changement. Voici ce qui se passera :',
    submit: 'Annuler le changement',
    doneTitle: 'Vous avez récupéré votre compte',
    done: 'Le changement d’adresse a été annulé. Consultez vos e‑mails pour choisir un nouveau mot de passe.',
    signIn: 'Se connecter',
    deadLead:
      'Vous avez déjà utilisé ce lien ? Votre adresse est rétablie : choisissez un nouveau mot de passe. Sinon, rouvrez le lien reçu par e‑mail.',
    newPassword: 'Choisir un nouveau mot de passe',
  },
  verifyEmail: {
    title: 'Confirmez votre adresse e‑mail',
    confirmLead: 'Confirmez votre adresse e‑mail pour terminer votre inscription.',
    changeTitle: 'Confirmez votre nouvelle adresse',
    changeLead: (account) =>
      `${account === null ? 'Le compte indiqué dans l’e‑mail' : `Votre compte ${account}`} utilisera cette adresse dès que vous aurez confirmé. Si vous n’avez rien demandé, fermez cette page : rien ne changera.`,
    confirm: 'Confirmer l’adresse',
    signOut: 'Se déconnecter',
    signedOut: 'Votre session est fermée. Vous pouvez maintenant confirmer l’adresse.',
    sendLead: 'Indiquez votre adresse e‑mail : nous vous enverrons un nouveau lien de confirmation.',
    email: 'Adresse e‑mail',
    send: 'Envoyer un nouveau lien',
    signIn: 'Se connecter',
    changing: 'Vous vouliez changer d’adresse ?',
    changeAgain: 'Refaire la demande',
  },
}
