import type { ServerText } from '../en/server.ts'
import { type Limits, listWith, sentences } from '../server-text.ts'

const notOurs = 'Ce lien mène à un autre site. Recommencez depuis notre page d’accueil.'
const roleTooLow = 'Rien n’a été modifié : votre rôle ne le permet plus.'
const startAgain = 'Recommencez depuis cette page.'
const tryAgain = 'Réessayez. Si cela se reproduit, essayez un autre moyen.'
const tryLater = 'Réessayez dans quelques minutes, ou essayez un autre moyen.'

export const server = (limits: Limits): ServerText => ({
  footer: { help: 'Obtenir de l’aide', terms: 'Conditions d’utilisation', privacy: 'Confidentialité' },
  consent: {
    terms: ['En créant un compte, vous acceptez les ', 'conditions d’utilisation', '.'],
    privacy: ['La ', 'politique de confidentialité', ' explique ce que nous faisons de vos données.'],
  },
  errors: {
    VALIDATION_ERROR: 'Certains champs sont à corriger.',
    INVALID_EMAIL_OR_PASSWORD: 'Adresse e‑mail ou mot de passe incorrect. Vérifiez-les et réessayez.',
    EMAIL_NOT_VERIFIED:
      'Votre mot de passe est correct, mais votre adresse n’est pas encore confirmée. Ouvrez le lien que nous vous avons envoyé par e‑mail.',
    EMAIL_IS_THE_SAME: 'Rien n’a été modifié : c’est déjà votre adresse.',
    PASSWORD_TOO_SHORT: 'Choisissez un mot de passe plus long.',
    PASSWORD_TOO_LONG: 'Choisissez un mot de passe plus court.',
    PASSWORD_TOO_COMMON: 'Ce mot de passe est trop facile à deviner. Choisissez-en un autre.',
    PASSWORD_ALREADY_SET: 'Votre compte a déjà un mot de passe. Pour le changer, saisissez l’actuel et le nouveau.',
    INVALID_PASSWORD: 'Ce mot de passe est incorrect.',
    CREDENTIAL_ACCOUNT_NOT_FOUND: 'Votre compte n’a pas de mot de passe. Confirmez d’une autre façon que c’est bien vous.',
    INSUFFICIENT_USER_AUTHENTICATION: 'Confirmez que c’est bien vous avant de continuer.',
    INSUFFICIENT_SCOPE: 'Vous n’avez pas cette autorisation.',
    ORGANIZATION_REQUIRED: 'Vous n’êtes pas membre de cette organisation.',
    ROLE_REQUIRED: 'Votre rôle dans cette organisation ne le permet pas.',
    INVALID_AUDIENCE: 'Vous ne pouvez pas vous connecter à cette application. Contactez l’assistance.',
    SESSION_NOT_FRESH: 'Confirmez que c’est bien vous avant de continuer.',
    REAUTHENTICATION_METHOD_NOT_AVAILABLE:
      'Cette façon de confirmer que c’est vous n’est pas disponible. Choisissez-en une autre.',
    EMAIL_RECENTLY_CHANGED:
      'Votre adresse e‑mail a changé il y a moins de 7 jours, et ce changement peut encore être annulé. Réessayez après ces 7 jours.',
    PROVIDER_NOT_FOUND: 'La connexion avec ce fournisseur est désactivée. Choisissez-en un autre.',
    PROVIDER_UNAVAILABLE: 'Le fournisseur ne répond pas pour le moment. Rien n’a été modifié. Réessayez dans un instant.',
    ACCOUNT_NOT_FOUND: 'Rien n’a été modifié : ce compte n’est plus lié. Rechargez la page pour voir les comptes liés.',
    FAILED_TO_UNLINK_LAST_ACCOUNT:
      'Rien n’a été dissocié : vous ne pourriez plus vous connecter. Ajoutez d’abord une clé d’accès, choisissez un mot de passe ou liez un autre compte.',
    INVALID_TOKEN: 'Ce lien ne fonctionne pas. Il a peut-être déjà servi, été remplacé par un plus récent ou été mal copié.',
    EMAIL_TAKEN:
      'Un compte plus récent utilise maintenant cette adresse. Connectez-vous à ce compte et supprimez-le, puis rouvrez ce lien.',
    TOKEN_EXPIRED: 'Ce lien a expiré.',
    INVALID_USER: 'Ce lien concerne un autre compte que votre compte actuel. Déconnectez-vous, puis confirmez l’adresse.',
    YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER:
      'Une organisation n’a pas d’autre propriétaire que vous. Donnez ce rôle à un autre membre ou supprimez l’organisation, puis réessayez.',
    YOU_CANNOT_LEAVE_THE_ORGANIZATION_WITHOUT_AN_OWNER:
      'Une organisation a besoin d’un propriétaire. Donnez d’abord ce rôle à un autre membre.',
    MEMBER_HAS_NOT_ACCEPTED:
      'Ce membre n’a pas encore accepté : il ne peut pas être propriétaire. Demandez-lui d’accepter dans ses paramètres, puis réessayez.',
    ORGANIZATION_NOT_FOUND: 'Cette organisation n’existe pas, ou vous n’en êtes pas membre.',
    ORGANIZATION_ALREADY_EXISTS: 'Ce nom court est déjà pris. Choisissez-en un autre.',
    ORGANIZATION_SLUG_ALREADY_TAKEN: 'Rien n’a été modifié : ce nom court est déjà pris. Choisissez-en un autre.',
    YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_ORGANIZATIONS: `Vous avez atteint la limite de ${limits.organizations} organisations. Quittez-en ou supprimez-en une, puis réessayez.`,
    ORGANIZATION_MEMBERSHIP_LIMIT_REACHED:
      'Cette organisation est complète. Demandez à l’un de ses propriétaires de faire de la place, puis réessayez.',
    MEMBER_NOT_FOUND: 'Rien n’a été modifié : cette personne n’est plus membre.',
    USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION: 'Cette personne est déjà membre.',
    USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION:
      'Cette personne a déjà une invitation en attente. Vous pouvez la renvoyer ci-dessous.',
    INVITATION_LIMIT_REACHED: 'Trop d’invitations sont en attente. Annulez-en quelques-unes ou attendez des réponses.',
    INVITATION_NOT_FOUND:
      'Cette invitation n’est plus valable : elle a expiré, a reçu une réponse, a été annulée, ou un e‑mail plus récent la remplace. Demandez-en une nouvelle.',
    YOU_ARE_NOT_THE_RECIPIENT_OF_THE_INVITATION:
      'Cette invitation est destinée à une autre adresse. Connectez-vous avec celle qui l’a reçue.',
    EMAIL_VERIFICATION_REQUIRED_FOR_INVITATION: 'Confirmez d’abord votre adresse e‑mail, puis réessayez.',
    EMAIL_VERIFICATION_REQUIRED_BEFORE_ACCEPTING_OR_REJECTING_INVITATION:
      'Confirmez d’abord votre adresse e‑mail, puis réessayez.',
    YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_ORGANIZATION: roleTooLow,
    YOU_ARE_NOT_ALLOWED_TO_DELETE_THIS_ORGANIZATION:
      'Rien n’a été supprimé : seuls ses propriétaires peuvent supprimer une organisation.',
    YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_MEMBER: roleTooLow,
    YOU_ARE_NOT_ALLOWED_TO_DELETE_THIS_MEMBER: 'Personne n’a été retiré : votre rôle ne le permet plus.',
    YOU_ARE_NOT_ALLOWED_TO_INVITE_USERS_TO_THIS_ORGANIZATION: 'Personne n’a été invité : votre rôle ne le permet plus.',
    YOU_ARE_NOT_ALLOWED_TO_INVITE_USER_WITH_THIS_ROLE: 'Personne n’a été invité : ce rôle est supérieur au vôtre.',
    YOU_ARE_NOT_ALLOWED_TO_CANCEL_THIS_INVITATION: roleTooLow,
    YOU_ARE_NOT_ALLOWED_TO_LIST_INVITATIONS: 'Votre rôle ne vous permet pas de voir les invitations.',
    INVALID_CODE: 'Ce code est incorrect ou a déjà servi.',
    INVALID_BACKUP_CODE: 'Ce code de secours est incorrect ou a déjà servi.',
    ACCOUNT_TEMPORARILY_LOCKED: 'Trop de codes incorrects : les codes sont bloqués pour le moment.',
    PASSWORD_LOCKED:
      'Trop de mots de passe incorrects de suite, ici ou sur vos autres appareils. Reconnectez-vous ou réinitialisez votre mot de passe par e‑mail, puis réessayez.',
    TOTP_NOT_ENABLED: 'La double authentification n’est pas configurée. Recommencez la configuration.',
    TOTP_ALREADY_ENABLED: 'La double authentification est déjà activée. Rechargez la page pour le voir.',
    TWO_FACTOR_ALREADY_ENABLED: 'La double authentification est déjà activée. Rechargez la page pour le voir.',
    TWO_FACTOR_NEEDS_PASSKEY:
      'Cette clé d’accès est votre seul second facteur. Ajoutez d’abord une autre clé d’accès ou une application d’authentification, ou désactivez la double authentification.',
    TWO_FACTOR_NOT_ENABLED: 'Rien n’a été modifié : la double authentification est déjà désactivée.',
    CHALLENGE_NOT_FOUND: 'Cette demande a expiré. Recommencez.',
    FAILED_TO_VERIFY_REGISTRATION: 'Cette clé d’accès n’a pas fonctionné. Réessayez ou utilisez un autre appareil.',
    PREVIOUSLY_REGISTERED: 'Cette clé d’accès est déjà enregistrée.',
    PASSKEY_LIMIT_REACHED: `Vous avez atteint la limite de ${limits.passkeys} clés d’accès. Supprimez-en une d’abord.`,
    SESSION_NOT_FOUND: 'Rien n’a été modifié : cet appareil n’est plus connecté.',
    PASSKEY_NOT_FOUND: 'Nous ne connaissons pas cette clé d’accès. Elle a peut-être été supprimée de votre compte.',
    AUTHENTICATION_FAILED: 'Cette clé d’accès n’a pas fonctionné. Réessayez ou choisissez un autre moyen.',
    USER_VERIFICATION_REQUIRED:
      'Cette clé d’accès n’a pas vérifié que c’est bien vous. Configurez un code PIN, une empreinte ou votre visage sur son appareil, puis réessayez.',
    UNAUTHORIZED_SESSION: 'Vous ne pouvez créer des clés d’API que pour vous-même.',
    SERVER_ONLY_PROPERTY: 'Les limites d’une clé d’API ne se changent pas ici.',
    KEY_NOT_FOUND: 'Rien n’a changé : cette clé d’API n’existe plus.',
    NO_VALUES_TO_UPDATE: 'Rien n’a changé.',
    INVALID_NAME_LENGTH: `Choisissez un nom de 1 à ${limits.apiKeyName} caractères.`,
    INVALID_PREFIX_LENGTH: `Choisissez un préfixe de 1 à ${limits.apiKeyName} caractères.`,
    EXPIRES_IN_IS_TOO_SMALL: 'La clé doit fonctionner au moins un jour.',
    EXPIRES_IN_IS_TOO_LARGE: 'La clé peut fonctionner un an au plus.',
    INVALID_METADATA_TYPE: 'Les données supplémentaires doivent être un objet JSON.',
    INVALID_PUBLIC_KEY: 'Ce n’est pas une clé publique Ed25519 ou P-256. Collez tout le texte PEM, de BEGIN à END.',
    API_KEY_LIMIT_REACHED: 'Vous avez atteint le nombre maximal de clés d’API. Supprimez-en une d’abord.',
    PASSKEY_REQUIRED: 'Confirmez avec votre clé d’accès que cette clé permet les retraits.',
    USER_NOT_MEMBER_OF_ORGANIZATION: 'Vous n’êtes pas membre de cette organisation.',
    INSUFFICIENT_API_KEY_PERMISSIONS: 'Seuls les propriétaires et les administrateurs gèrent les clés d’API d’une organisation.',
    INVALID_API_KEY: 'Cette clé d’API n’est pas valable.',
    KEY_DISABLED: 'Cette clé d’API est désactivée.',
    KEY_EXPIRED: 'Cette clé d’API a expiré.',
    IP_NOT_ALLOWED: 'Cette clé d’API ne fonctionne pas depuis cette adresse.',
    SIGNATURE_INVALID: 'La signature de cette requête n’est pas valable.',
    REPLAYED: 'Cette requête a déjà été envoyée.',
    RATE_LIMITED: 'Cette clé d’API est utilisée trop souvent. Attendez une minute.',
    PASSKEY_TOO_NEW: 'Cette clé d’accès a moins d’un jour. Utilisez plutôt votre mot de passe ou un code.',
    YOU_ARE_NOT_ALLOWED_TO_REGISTER_THIS_PASSKEY: 'Vous avez changé de compte entre-temps. Recommencez.',
    FAILED_TO_DELETE_LAST_PASSKEY:
      'Cette clé d’accès est votre seul moyen de vous connecter. Ajoutez d’abord une autre clé d’accès ou choisissez un mot de passe.',
    TOO_MANY_REQUESTS: 'Trop de tentatives en peu de temps.',
    SERVICE_BUSY: 'Le service est très sollicité en ce moment. Réessayez dans un instant.',
    SERVICE_UNAVAILABLE:
      'Le service est indisponible pour le moment, et votre demande n’a peut-être pas abouti. Réessayez dans un instant.',
    BAD_REQUEST: 'Nous n’avons pas pu lire votre demande. Revenez en arrière et réessayez.',
    UNSUPPORTED_MEDIA_TYPE: 'Nous n’avons pas pu lire votre demande. Revenez en arrière et réessayez.',
    PAYLOAD_TOO_LARGE: 'C’est trop long. Raccourcissez, puis réessayez.',
    NOT_FOUND: 'Il n’y a rien à cette adresse.',
    METHOD_NOT_ALLOWED: 'Cette page ne permet pas cette action. Revenez en arrière et réessayez.',
    UNAUTHORIZED: 'Votre session n’est plus ouverte. Connectez-vous, puis réessayez.',
    INVALID_ORIGIN: 'Votre demande venait d’un autre site : nous ne l’avons pas acceptée. Ouvrez notre page et réessayez.',
    CROSS_SITE_NAVIGATION_LOGIN_BLOCKED:
      'Votre demande venait d’un autre site : nous avons refusé la connexion. Ouvrez notre page et réessayez.',
    MISSING_OR_NULL_ORIGIN:
      'Votre navigateur n’a pas indiqué d’où venait votre demande : nous ne l’avons pas acceptée. Rechargez la page et réessayez.',
    INVALID_CALLBACK_URL: notOurs,
    INVALID_ERROR_CALLBACK_URL: notOurs,
    INVALID_NEW_USER_CALLBACK_URL: notOurs,
    INVALID_REDIRECT_URL: notOurs,
    ID_TOKEN_NOT_SUPPORTED: 'Ce moyen de connexion n’est pas disponible. Choisissez-en un autre.',
    EMAIL_ALREADY_VERIFIED: 'Cette adresse est déjà confirmée.',
    EMAIL_MISMATCH: 'Ce n’est pas l’adresse de votre compte.',
    USER_NOT_FOUND: 'Ce compte n’existe plus.',
    NO_ACTIVE_ORGANIZATION: 'Choisissez d’abord une organisation.',
    ROLE_NOT_FOUND: 'Ce rôle n’existe pas. Choisissez-en un dans la liste.',
    INVALID_PICTURE: 'Nous ne pouvons pas lire ce fichier. Choisissez une photo au format JPEG, PNG, WebP ou GIF.',
    PICTURE_TOO_LARGE: 'Cette photo est trop grande. Choisissez-en une de 2 Mo et 25 millions de pixels au plus.',
    PICTURE_NOT_FOUND: 'Cette photo n’existe plus.',
    EMAIL_CAN_NOT_BE_UPDATED: 'Votre adresse se change dans les paramètres, rubrique E‑mail.',
    FIELD_NOT_ALLOWED: 'Rien n’a été modifié : l’un de ces champs n’est pas modifiable.',
    NO_FIELDS_TO_UPDATE: 'Il n’y avait rien à modifier.',
    INVALID_TWO_FACTOR_COOKIE: 'Cette connexion a expiré. Recommencez avec votre mot de passe.',
    TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE: 'Trop de codes incorrects. Recommencez avec votre mot de passe.',
    BACKUP_CODES_NOT_ENABLED: 'Vous n’avez pas de codes de secours. Activez d’abord la double authentification.',
    BACKUP_CODES_SHOWN_ONCE:
      'Les codes de secours ne sont affichés qu’une fois, à leur création. Créez-en de nouveaux si vous avez perdu les vôtres.',
    OTP_NOT_CONFIGURED:
      'Les codes par e‑mail ne sont pas disponibles. Utilisez votre application d’authentification ou un code de secours.',
    INTERNAL_SERVER_ERROR: 'Le problème vient de chez nous, et votre demande n’a peut-être pas abouti. Vérifiez, puis réessayez.',
  },
  boxes: {
    INVALID_PASSWORD: 'Ce n’est pas votre mot de passe. Vérifiez la saisie.',
    INVALID_CODE: 'Saisissez le code que votre application d’authentification affiche maintenant.',
    INVALID_BACKUP_CODE: 'Saisissez un autre code de secours.',
    EMAIL_IS_THE_SAME: 'Saisissez une autre adresse.',
    SLUG_TAKEN: 'Choisissez un autre nom court.',
  },
  fields: {
    emailInvalid: 'Saisissez une adresse e‑mail valide',
    emailTooLong: `Trop long : ${limits.lengths.email} caractères au plus`,
    emailLocalPartTooLong: `Trop long : ${limits.lengths.emailLocalPart} caractères au plus avant le @`,
    passwordMissing: 'Saisissez un mot de passe',
    passwordTooShort: `Utilisez au moins ${limits.password.min} caractères`,
    passwordTooLong: `Utilisez au plus ${limits.password.max} caractères`,
    tooLong: 'Trop long',
    nameMissing: 'Saisissez un nom',
    nameTooLong: `Trop long : ${limits.lengths.name} caractères au plus`,
    nameInvisibleCharacters: 'Saisissez un nom sans caractères invisibles',
    nameInvisible: 'Saisissez un nom visible',
    nameWithoutLetter: 'Utilisez au moins une lettre ou un chiffre',
    slugMissing: 'Saisissez un nom court',
    slugTooLong: `Trop long : ${limits.lengths.slug} caractères au plus`,
    slugForm: 'Utilisez les lettres de a à z, des chiffres, et des tirets entre eux',
    slugReserved: 'Ce nom court est réservé',
    codeMissing: 'Saisissez un code',
    passwordOrCodeMissing: 'Saisissez votre mot de passe ou un code',
    straightRow: 'Les suites de touches voisines du clavier sont faciles à deviner.',
    keyPattern: 'Les motifs courts tracés sur le clavier sont faciles à deviner.',
    simpleRepeat: 'Les caractères répétés, comme « aaa », sont faciles à deviner.',
    extendedRepeat: 'Les motifs répétés, comme « abcabcabc », sont faciles à deviner.',
    sequences: 'Les suites courantes, comme « abc », sont faciles à deviner.',
    recentYears: 'Les années récentes sont faciles à deviner.',
    dates: 'Les dates sont faciles à deviner.',
    topTen: 'Ce mot de passe est l’un des plus utilisés au monde.',
    topHundred: 'Ce mot de passe est très souvent utilisé.',
    common: 'Ce mot de passe est souvent utilisé.',
    similarToCommon: 'Ce mot de passe ressemble à un mot de passe souvent utilisé.',
    namesByThemselves: 'Un nom ou un prénom seul est facile à deviner.',
    commonNames: 'Les noms et prénoms courants sont faciles à deviner.',
    userInputs: 'N’y mettez rien qui vous concerne ou concerne ce service, comme votre nom ou votre adresse.',
    easyToGuess: 'Facile à deviner : ajoutez un ou deux mots sans rapport avec vous',
    other: 'Cette valeur ne convient pas. Choisissez-en une autre.',
  },
  activity: {
    'sign-up': 'Compte créé',
    'sign-in': 'Connexion',
    'sign-out': 'Déconnexion',
    reauthenticate: 'Vous avez confirmé que c’était vous',
    'request-reauthentication-link': 'Lien de confirmation demandé',
    'revoke-session': 'Appareils déconnectés',
    'verify-email': 'Adresse e‑mail confirmée',
    'request-email-change': 'Changement d’adresse e‑mail demandé',
    'change-email': 'Adresse e‑mail changée',
    'undo-email-change': 'Changement d’adresse e‑mail annulé',
    'clear-password': 'Mot de passe supprimé',
    'restore-two-factor': 'Ancienne double authentification réactivée',
    'remove-backup-codes': 'Codes de secours supprimés',
    'request-password-reset': 'Réinitialisation du mot de passe demandée',
    'reset-password': 'Mot de passe réinitialisé par e‑mail',
    'change-password': 'Mot de passe changé',
    'set-password': 'Mot de passe ajouté',
    'pause-password': 'Mot de passe bloqué sur les nouveaux appareils, après trop d’erreurs',
    'add-passkey': 'Clé d’accès ajoutée',
    'rename-passkey': 'Clé d’accès renommée',
    'remove-passkey': 'Clé d’accès supprimée',
    'refuse-passkey': 'Clé d’accès refusée : elle a peut-être été copiée',
    'link-account': 'Moyen de connexion ajouté',
    'unlink-account': 'Moyen de connexion retiré',
    'update-user': 'Paramètres modifiés',
    'name-session': 'Appareil nommé',
    'export-data': 'Données personnelles téléchargées',
    'request-account-deletion': 'Lien de suppression du compte demandé',
    'create-organization': 'Organisation créée',
    'update-organization': 'Organisation modifiée',
    'delete-organization': 'Organisation supprimée',
    'add-member': 'Ajout à une organisation',
    'accept-membership': 'Ajout à une organisation accepté',
    'drop-membership': 'Place dans une organisation perdue, car non acceptée',
    'remove-member': 'Retrait d’une organisation',
    'update-member-role': 'Rôle modifié dans une organisation',
    'leave-organization': 'Organisation quittée',
    'invite-member': 'Invitation à une organisation envoyée',
    'accept-invitation': 'Organisation rejointe',
    'reject-invitation': 'Invitation refusée',
    'cancel-invitation': 'Invitation annulée',
    'two-factor-challenge': 'Second facteur demandé',
    'prepare-two-factor': 'Configuration de la double authentification commencée',
    'enable-two-factor': 'Double authentification activée',
    'add-authenticator': 'Application d’authentification ajoutée',
    'verify-two-factor': 'Code saisi',
    'lock-two-factor': 'Codes bloqués après trop d’erreurs',
    'disable-two-factor': 'Double authentification désactivée',
    'replace-backup-codes': 'Nouveaux codes de secours créés',
    'revoke-trusted-device': 'Appareil de confiance retiré',
    'import-user': 'Compte importé de l’ancien service',
    'retry-mail': 'E‑mail non remis renvoyé',
    'drop-mail': 'E‑mail non remis abandonné',
    'suspend-user': 'Compte suspendu par l’assistance',
    'restore-user': 'Compte rétabli par l’assistance',
    'create-api-key': 'Clé d’API créée',
    'update-api-key': 'Clé d’API modifiée',
    'delete-api-key': 'Clé d’API supprimée',
    'report-api-key': 'Clé d’API supprimée après une fuite',
  },
  activityFailed: {
    'sign-in': 'Échec de connexion',
    'verify-two-factor': 'Code incorrect saisi',
  },
  changedFields: {
    name: 'nom',
    image: 'photo',
    tradingEnabled: 'trading',
    riskLevel: 'niveau de risque',
    locale: 'langue',
    slug: 'nom court',
    logo: 'logo',
    metadata: 'données supplémentaires',
  },
  withFields: (what, fields) => `${what} : ${fields}`,
  activityFilter: {
    kinds: [
      { value: '', label: 'Tout' },
      { value: 'sign-ins', label: 'Connexions' },
      { value: 'security', label: 'Sécurité' },
      { value: 'profile', label: 'Profil et paramètres' },
      { value: 'organizations', label: 'Organisations' },
      { value: 'support', label: 'Assistance' },
    ],
    wrongFilter: 'Vérifiez les dates.',
    wrongDay: 'Saisissez une date comme 2026-11-24.',
  },
  activityFile: { columns: ['Heure (UTC)', 'Événement', 'Appareil', 'Adresse IP', 'Lieu'] },
  landing: {
    nav: 'Compte',
    title: 'Un seul compte pour toute la salle des marchés',
    lead: (appName) =>
      `Avec ${appName}, vous vous connectez, vous protégez votre compte et vous choisissez ce qu’il peut faire. Le trading reste désactivé tant que vous ne l’activez pas.`,
    signIn: 'Se connecter',
    signUp: 'Créer un compte',
    dashboard: 'Ouvrir votre tableau de bord',
    points: [
      {
        name: 'Des adresses confirmées',
        description: 'Votre compte s’ouvre dès que vous avez confirmé votre adresse e‑mail.',
      },
      {
        name: 'Une vraie déconnexion',
        description:
          'Quand vous vous déconnectez, votre session prend fin aussitôt, sur nos serveurs comme dans votre navigateur.',
      },
      {
        name: 'Le trading quand vous le voulez',
        description: 'C’est vous qui activez le trading, au niveau de risque de votre choix.',
      },
    ],
  },
  organizationActivity: {
    'create-organization': ({ actor }) => `${actor} a créé l’organisation`,
    'update-organization': ({ actor }) => `${actor} a modifié l’organisation`,
    'add-member': ({ actor, member, role }) => `${actor} a ajouté ${member} (${role})`,
    'accept-membership': ({ member }) => `${member} a accepté de rejoindre l’organisation`,
    'drop-membership': ({ member }) => `${member} n’avait pas accepté et a rejoint une autre organisation`,
    'remove-member': ({ actor, member, isOwn }) => (isOwn ? `${actor} a quitté l’organisation` : `${actor} a retiré ${member}`),
    'update-member-role': ({ actor, member, from, to, isOwn }) =>
      isOwn ? `${actor} a changé son propre rôle : ${from} → ${to}` : `${actor} a changé le rôle de ${member} : ${from} → ${to}`,
    'leave-organization': ({ member }) => `${member} a quitté l’organisation`,
    'invite-member': ({ actor, invited, role }) => `${actor} a invité ${invited} (${role})`,
    'accept-invitation': ({ member, role }) => `${member} a accepté une invitation (${role})`,
    'reject-invitation': ({ invited }) => `L’invitation envoyée à ${invited} a été refusée`,
    'cancel-invitation': ({ actor, invited }) => `${actor} a annulé l’invitation envoyée à ${invited}`,
    'create-api-key': ({ actor, apiKey }) => `${actor} a créé la clé d’API « ${apiKey} »`,
    'update-api-key': ({ actor, apiKey }) => `${actor} a modifié la clé d’API « ${apiKey} »`,
    'delete-api-key': ({ actor, apiKey }) => `${actor} a supprimé la clé d’API « ${apiKey} »`,
    'report-api-key': ({ apiKey }) => `La clé d’API « ${apiKey} » a fuité et a été supprimée`,
  },
  unnamed: { actor: 'L’assistance ou un compte supprimé', member: 'un compte supprimé', invited: 'quelqu’un' },
  notices: {
    landing: {
      'account-deleted': 'Votre compte a été supprimé.',
    },
    login: {
      verified: 'Votre adresse est confirmée. Vous pouvez maintenant vous connecter.',
      'password-cleared':
        'Votre adresse est confirmée. Par sécurité, choisissez un nouveau mot de passe avec le lien que nous vous avons envoyé par e‑mail.',
      'address-changed': 'Votre nouvelle adresse est confirmée. Utilisez-la désormais pour vous connecter.',
      'password-reset':
        'Votre nouveau mot de passe est enregistré, et tous vos appareils sont déconnectés. Utilisez-le pour vous connecter.',
      'confirm-change': 'Connectez-vous au compte dont vous changez l’adresse. Rouvrez ensuite le lien reçu par e‑mail.',
      'signed-out': 'Votre session est fermée.',
      'signed-out-everywhere': 'Tous vos appareils sont déconnectés.',
    },
    accounts: {
      linked: 'Compte lié. Vous pouvez désormais l’utiliser pour vous connecter.',
    },
    deleteAccount: {
      confirmed: 'Vous avez confirmé que c’est bien vous. Rouvrez maintenant le lien reçu par e‑mail.',
    },
    email: {
      changed: 'Adresse changée. Nous avons aussi écrit à votre ancienne adresse.',
    },
    organization: {
      created: 'Organisation créée. Vous en êtes propriétaire.',
      joined: 'Vous avez rejoint l’organisation.',
      update: 'Organisation enregistrée.',
    },
    organizations: {
      left: 'Vous avez quitté l’organisation.',
      accepted: 'Vous avez accepté de rejoindre l’organisation.',
      deleted: 'Organisation supprimée.',
      declined: 'Vous avez refusé l’invitation.',
    },
    profile: {
      language: 'Langue enregistrée.',
    },
  },
  undoWill: (effects, providerName) =>
    sentences([
      'Votre compte utilise de nouveau cette adresse.',
      'Tous les appareils sont déconnectés, les vôtres aussi.',
      effects.passwordRemoved
        ? 'Votre mot de passe ne fonctionne plus. Nous vous envoyons un lien pour en choisir un nouveau.'
        : 'Nous vous envoyons un lien pour choisir un mot de passe.',
      ...effects.unlinkedProviders.map(
        (id) => `${providerName(id)} n’est plus lié à votre compte. Vous pourrez le lier de nouveau.`,
      ),
      effects.twoFactor === 'removed' &&
        'La double authentification, activée récemment, est désactivée. Vous pourrez la configurer de nouveau.',
      effects.twoFactor === 'restored' &&
        'Votre ancienne double authentification est réactivée. Il vous faudra la clé d’accès ou l’application que vous aviez avant.',
      effects.backupCodesRemoved && 'Les codes de secours créés récemment ne fonctionnent plus.',
      effects.passkeysRemoved > 0 && `Les clés d’accès ajoutées récemment sont supprimées : ${effects.passkeysRemoved}.`,
      effects.apiKeysRemoved > 0 && `Les clés d’API créées ou modifiées récemment sont supprimées : ${effects.apiKeysRemoved}.`,
      effects.trustedDevices > 0 && 'Chaque appareil demande de nouveau un second facteur.',
      effects.invitations > 0 && `Les invitations en attente que vous avez envoyées sont annulées : ${effects.invitations}.`,
      effects.tradingDisabled && 'Le trading est désactivé. Vous pourrez le réactiver ensuite.',
      effects.riskLevelLowered && 'Votre niveau de risque passe au plus bas.',
      effects.profileRestored && 'Votre nom et votre photo redeviennent ceux d’avant le changement.',
    ]),
  undoDid: (effects, providerName) =>
    sentences([
      'Votre compte utilise de nouveau cette adresse, et tous les appareils ont été déconnectés.',
      effects.passwordRemoved
        ? 'Votre mot de passe ne fonctionne plus. Nous vous avons envoyé un lien pour en choisir un nouveau.'
        : 'Nous vous avons envoyé un lien pour choisir un mot de passe.',
      ...effects.unlinkedProviders.map(
        (id) => `${providerName(id)} n’est plus lié à votre compte. Vous pouvez le lier de nouveau dans Comptes liés.`,
      ),
      effects.twoFactor === 'removed' &&
        'La double authentification a été désactivée. Configurez-la de nouveau dans vos paramètres après votre connexion.',
      effects.twoFactor === 'restored' &&
        'Votre ancienne double authentification est de nouveau active. Utilisez la clé d’accès ou l’application que vous aviez avant.',
      effects.backupCodesRemoved &&
        'Les codes de secours récents ne fonctionnent plus. Créez-en de nouveaux dans vos paramètres.',
      effects.passkeysRemoved > 0 &&
        `Les clés d’accès ajoutées récemment ont été supprimées : ${effects.passkeysRemoved}. Ajoutez de nouveau les vôtres dans Clés d’accès.`,
      effects.apiKeysRemoved > 0 &&
        `Les clés d’API créées ou modifiées récemment ont été supprimées : ${effects.apiKeysRemoved}. Créez de nouveau les vôtres dans Clés d’API.`,
      effects.trustedDevices > 0 && 'Chaque appareil demande de nouveau un second facteur.',
      effects.invitations > 0 &&
        `Les invitations en attente que vous aviez envoyées ont été annulées : ${effects.invitations}. Renvoyez-les si besoin.`,
      effects.tradingDisabled && 'Le trading a été désactivé. Vous pouvez le réactiver dans Trading.',
      effects.riskLevelLowered && 'Votre niveau de risque est maintenant le plus bas.',
      effects.profileRestored && 'Votre nom et votre photo sont ceux d’avant le changement.',
    ]),
  lastUsed: 'Votre dernier choix',
  lockedOut: ({ passkeys, providers }) => {
    const others = [...(passkeys ? ['une clé d’accès'] : []), ...providers]
    const instead = others.length > 0 ? `, ou vous connecter avec ${listWith(others, 'ou')}` : ''
    return {
      lead: `Vous pouvez aussi choisir un nouveau mot de passe grâce à un lien par e‑mail${instead}.`,
      action: 'Choisir un nouveau mot de passe',
    }
  },
  passwordAccepted: 'Bon choix : ce mot de passe est difficile à deviner.',
  formUnreadable: 'Nous n’avons pas pu lire ce formulaire. Revenez en arrière et réessayez.',
  tryAgainIn: (amount, unit) =>
    ` Réessayez dans ${amount} ${{ second: 'seconde', minute: 'minute', hour: 'heure' }[unit]}${amount < 2 ? '' : 's'}.`,
  organizations: (slugs) => ` Organisations : ${slugs}.`,
  socialRefusals: {
    service_unavailable: ['Nous n’avons pas pu terminer pour le moment.', 'Réessayez dans un instant.'],
    too_many_requests: [
      'Trop de tentatives depuis votre réseau.',
      'Attendez quelques minutes, puis recommencez depuis cette page.',
    ],
    state_not_found: ['La réponse du fournisseur ne correspond à rien de ce que vous avez commencé ici.', startAgain],
    state_mismatch: [
      `Cette tentative a duré plus de ${limits.attemptMinutes} minutes, a déjà servi, ou a commencé dans un autre navigateur ou une autre session.`,
      'Recommencez depuis cette page, et terminez dans le même navigateur.',
    ],
    issuer_mismatch: [
      'La réponse ne venait pas du fournisseur que vous avez choisi : nous ne l’avons pas utilisée.',
      'Recommencez depuis cette page. Si cela se reproduit, arrêtez-vous et contactez l’assistance.',
    ],
    access_denied: [
      'La connexion n’a pas été autorisée chez le fournisseur.',
      'Réessayez en autorisant l’accès, ou essayez un autre moyen.',
    ],
    provider_error: ['Le fournisseur a signalé une panne de son côté.', tryLater],
    provider_unavailable: ['Le fournisseur ne répond pas pour le moment.', tryLater],
    no_code: ['Le fournisseur vous a renvoyé ici sans confirmer que c’est bien vous.', tryAgain],
    invalid_code: ['La confirmation du fournisseur n’était plus valable.', tryAgain],
    unable_to_get_user_info: ['Nous n’avons pas pu vérifier les informations du fournisseur à votre sujet.', tryAgain],
    email_not_found: [
      'Le fournisseur n’a transmis aucune adresse e‑mail, et votre compte en a besoin.',
      'Ajoutez-en une chez le fournisseur et réessayez, ou inscrivez-vous avec une adresse e‑mail et un mot de passe.',
    ],
    email_not_verified: [
      'Le fournisseur n’a pas encore confirmé votre adresse e‑mail.',
      'Confirmez-la chez le fournisseur et réessayez, ou inscrivez-vous avec une adresse e‑mail et un mot de passe.',
    ],
    account_not_linked: [
      'Un compte utilise déjà votre adresse e‑mail, et rien ne prouve que les deux comptes sont à vous.',
      'Connectez-vous comme d’habitude, puis liez le fournisseur dans les paramètres, rubrique Comptes liés.',
    ],
    account_already_linked_to_different_user: [
      'Ce compte du fournisseur est déjà lié à un autre compte ici, peut-être aussi à vous.',
      'Connectez-vous à cet autre compte, puis dissociez celui du fournisseur. Revenez ensuite à votre compte actuel pour le lier. Ou choisissez un autre compte chez le fournisseur.',
    ],
    different_account: [
      'Ce compte chez le fournisseur n’est pas lié à votre compte ici.',
      'Connectez-vous chez le fournisseur avec le compte que vous avez lié, puis réessayez.',
    ],
    provider_sign_in_too_old: [
      'Votre connexion chez le fournisseur est trop ancienne.',
      'Déconnectez-vous chez le fournisseur, reconnectez-vous, puis réessayez. Ou choisissez un autre moyen.',
    ],
    sign_in_refused: [
      'Ce compte ne peut pas servir à se connecter pour le moment.',
      'Si vous pensez qu’il s’agit d’une erreur, contactez l’assistance.',
    ],
    unknown: ['Nous n’avons pas pu terminer avec le fournisseur.', tryAgain],
  },
})
