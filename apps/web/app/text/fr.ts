import type { en } from '#app/text/en.ts'

export const fr: typeof en = {
  root: {
    skip: 'Aller au contenu',
    notFound: {
      title: 'Page introuvable',
      body: 'Il n’y a rien à cette adresse. Le lien est peut-être ancien, ou l’adresse contient une faute de frappe.',
    },
    failed: {
      title: 'Une erreur s’est produite',
      body: 'La panne est de notre côté, et votre demande n’a peut-être pas été exécutée. Réessayez dans un instant.',
    },
    unavailable: { title: 'Le service est injoignable' },
    offline: {
      title: 'Pas de connexion',
      body: 'Votre appareil n’a pas pu joindre le service : rien n’a été envoyé. Vérifiez votre connexion, puis réessayez.',
    },
    stay: 'Rester ici',
    refused: { title: 'Cela n’a pas fonctionné' },
    error: (status) => `Erreur ${status}`,
    again: 'Réessayer',
    home: 'Aller à la page d’accueil',
    dashboard: 'Ouvrir votre tableau de bord',
  },
  languageSwitch: { label: 'Langue' },
  checkYourMail: {
    title: 'Consultez vos e-mails',
    sentences: {
      'sign-up': [
        'Nous avons envoyé un e-mail à ',
        '. Ouvrez le lien qu’il contient pour confirmer l’adresse, puis connectez-vous.',
      ],
      confirm: ['Si ', ' attend d’être confirmée, un nouveau lien est en route. Ouvrez-le, puis connectez-vous.'],
      reset: [
        'Si ',
        ' a un compte, un e-mail est en route vers cette adresse. Ouvrez le lien qu’il contient pour choisir un nouveau mot de passe.',
      ],
    },
    nothing: 'Rien après quelques minutes ? Regardez dans les courriers indésirables, puis renvoyez l’e-mail.',
    again: 'Renvoyer l’e-mail',
    signIn: 'Aller à la connexion',
  },
  codeField: {
    label: 'Code de votre application d’authentification',
    hint: 'Six chiffres, qui changent toutes les trente secondes.',
    backupLabel: 'Code de secours',
    backupHint: 'L’un des codes que vous avez conservés lors de la configuration. Chacun sert une fois.',
  },
  localMailbox: {
    local: 'Ce service fonctionne sur votre propre machine, aucun e-mail n’en sort :',
    mailbox: 'lisez-le dans la boîte locale',
  },
  providerLinks: { or: 'ou', continueWith: 'Continuer avec' },
  providerRefusal: { code: 'Code :' },
  form: { sending: 'Envoi…' },
  passwordField: {
    show: 'Afficher',
    hide: 'Masquer',
    showPassword: 'Afficher le mot de passe',
    hidePassword: 'Masquer le mot de passe',
    isShown: 'Le mot de passe est affiché.',
    isHidden: 'Le mot de passe est masqué.',
  },
  newPassword: {
    hint: (shortest) =>
      `Au moins ${shortest} caractères. Plusieurs mots à la suite sont faciles à retenir et difficiles à deviner.`,
  },
  authFrame: { aside: 'Vos ordres ne sont jamais plus sûrs que la porte qui les protège.' },
  landing: {
    nav: 'Compte',
    title: 'Un seul compte pour toute la salle',
    lead: (appName) =>
      `${appName} est l’endroit où vous vous connectez, prouvez qui vous êtes et décidez de ce que votre compte peut faire. Le trading reste désactivé tant que vous ne l’activez pas.`,
    signIn: 'Se connecter',
    signUp: 'Créer un compte',
    dashboard: 'Ouvrir votre tableau de bord',
    notices: {
      'account-deleted':
        'Votre compte est supprimé, et tout ce qui était à vous avec lui. Merci pour le temps passé ici. Bonne continuation.',
    },
    points: [
      {
        name: 'Des adresses confirmées',
        description: 'Un compte ne s’ouvre qu’une fois que son propriétaire a confirmé l’adresse e-mail.',
      },
      {
        name: 'Des sessions qui se terminent',
        description: 'Déconnectez-vous et la session disparaît aussitôt, sur le serveur comme dans le navigateur.',
      },
      {
        name: 'Le trading par choix',
        description: 'Vous activez le trading vous-même, après une connexion récente, au niveau de risque que vous choisissez.',
      },
    ],
  },
  acceptInvitation: {
    title: 'Vous êtes invité',
    signedOut:
      'L’invitation est destinée à l’adresse qui a reçu l’e-mail. Connectez-vous avec elle, ou créez d’abord un compte avec elle.',
    signIn: 'Se connecter',
    signUp: 'Créer un compte',
    somebody: 'Quelqu’un',
    invites: (role) => ` vous invite à rejoindre cette organisation. Votre rôle y sera : ${role}.`,
    seen: 'Ses membres verront votre nom et votre adresse e-mail.',
    accept: 'Rejoindre',
    decline: 'Décliner',
    signedInAs: 'Vous êtes connecté en tant que ',
    signOut: 'Se connecter avec un autre compte',
    organizations: 'Vos organisations',
  },
  forgotPassword: {
    title: 'Mot de passe oublié ?',
    lead: 'Nous envoyons un lien à votre adresse. Il ouvre une page où vous choisissez un nouveau mot de passe.',
    email: 'Adresse e-mail',
    submit: 'Envoyer le lien',
    remembered: 'Il vous est revenu ?',
    signIn: 'Se connecter',
  },
  login: {
    title: 'Connexion',
    email: 'Adresse e-mail',
    password: 'Mot de passe',
    remember: 'Rester connecté sur cet appareil',
    forgot: 'Mot de passe oublié ?',
    submit: 'Se connecter',
    newHere: 'Nouveau ici ?',
    signUp: 'Créer un compte',
    sendAgain: 'Renvoyer l’e-mail',
    ended:
      'Cette connexion est terminée : trop de codes étaient erronés, ou elle a duré trop longtemps. Recommencez avec votre mot de passe.',
    notices: {
      verified: 'Votre adresse est confirmée. Vous pouvez maintenant vous connecter.',
      'password-cleared':
        'Votre adresse est confirmée. Quelqu’un d’autre s’était aussi inscrit avec elle, aucun mot de passe ne compte donc encore : nous vous avons envoyé un lien pour en choisir un.',
      'address-changed': 'Votre nouvelle adresse est confirmée. Connectez-vous désormais avec elle.',
      'password-reset':
        'Votre nouveau mot de passe est défini, et tous les appareils sont déconnectés. Connectez-vous maintenant avec lui.',
      'signed-out': 'Vous êtes déconnecté.',
      'signed-out-everywhere': 'Vous êtes déconnecté de tous les appareils.',
    },
  },
  resetPassword: {
    title: 'Choisir un nouveau mot de passe',
    lead: 'Il remplace l’actuel, et tous les appareils connectés seront déconnectés.',
    password: 'Nouveau mot de passe',
    submit: 'Définir le nouveau mot de passe',
    deadLead: 'Nos liens fonctionnent peu de temps, et une seule fois.',
    newLink: 'Envoyer un nouveau lien',
    signIn: 'Aller à la connexion',
  },
  signUp: {
    title: 'Créer un compte',
    name: 'Nom',
    email: 'Adresse e-mail',
    emailHint: 'Nous y envoyons un lien pour la confirmer.',
    password: 'Mot de passe',
    submit: 'Créer le compte',
    haveOne: 'Vous en avez déjà un ?',
    signIn: 'Se connecter',
  },
  twoFactor: {
    title: 'Encore une étape',
    lead: 'Votre compte demande un code chaque fois que vous vous connectez sur un nouvel appareil.',
    trust: 'Ne pas demander de code sur cet appareil pendant 30 jours',
    submit: 'Se connecter',
    useBackup: 'Utiliser plutôt un code de secours',
    useCode: 'Utiliser plutôt votre application d’authentification',
    startOver: 'Recommencer',
    doneTitle: 'Vous êtes connecté',
    dashboard: 'Aller à votre tableau de bord',
    goOnTo: (host) => `Continuer vers ${host}`,
  },
  undoEmailChange: {
    title: 'Reprendre votre compte',
    lead: 'Quelqu’un a donné une autre adresse e-mail à votre compte. Si c’était vous, il n’y a rien à faire : fermez cette page.',
    consequences: 'Si ce n’était pas vous, appuyez sur le bouton. Alors :',
    steps: [
      'Votre compte retrouve cette adresse.',
      'Tout le monde en est déconnecté, sur tous les appareils.',
      'Le mot de passe cesse de fonctionner, et nous vous envoyons un lien pour en choisir un nouveau.',
    ],
    submit: 'Annuler le changement',
    doneTitle: 'Votre adresse est rétablie',
    done: 'Tout le monde a été déconnecté, et le mot de passe ne fonctionne plus. Nous vous avons envoyé un lien pour en choisir un nouveau.',
    signIn: 'Aller à la connexion',
    deadLead:
      'Si vous avez déjà utilisé le lien, votre adresse est rétablie : il ne vous manque qu’un nouveau mot de passe. Sinon, rouvrez le lien entier de l’e-mail.',
    newPassword: 'Choisir un nouveau mot de passe',
  },
  verifyEmail: {
    title: 'Confirmez votre adresse',
    confirmLead: 'Un clic, et vous pourrez vous connecter avec cette adresse.',
    changeTitle: 'Confirmez votre nouvelle adresse',
    changeLead:
      'Un clic, et un compte déjà existant passe à cette adresse. Si vous ne l’avez pas demandé, fermez cette page : il ne se passera rien.',
    confirm: 'Confirmer l’adresse',
    signOut: 'Se déconnecter',
    signedOut: 'Vous êtes déconnecté. Confirmez maintenant l’adresse.',
    sendLead: 'Nous envoyons un lien à votre adresse. Il rouvre cette page, avec un bouton pour confirmer.',
    email: 'Adresse e-mail',
    send: 'Envoyer un nouveau lien',
    signIn: 'Aller à la connexion',
    changing: 'Le lien concernait un changement d’adresse ?',
    changeAgain: 'Redemander le changement',
  },
}
