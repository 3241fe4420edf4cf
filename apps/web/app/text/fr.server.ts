import { policy } from '@floorpass/api'
import { fieldLengths, passwordLength } from '@floorpass/api/contracts'
import { type ServerText, sentences } from '#app/text/en.server.ts'

const notOurs = 'L’adresse vers laquelle continuer n’est pas l’une des nôtres. Recommencez depuis notre page d’accueil.'
const roleTooLow = 'Rien n’a été modifié : votre rôle ne le permet plus.'
const startAgain = 'Recommencez depuis cette page.'
const tryAgain = 'Réessayez. Si cela se reproduit, utilisez un autre moyen.'
const tryLater = 'Réessayez dans quelques minutes, ou utilisez un autre moyen.'

export const fr: ServerText = {
  errors: {
    VALIDATION_ERROR: 'Certains champs sont à revoir.',
    INVALID_EMAIL_OR_PASSWORD: 'L’adresse e-mail et le mot de passe ne correspondent à aucun compte. Vérifiez-les et réessayez.',
    EMAIL_NOT_VERIFIED:
      'Votre mot de passe est exact, mais cette adresse n’est pas encore confirmée. Ouvrez le lien que nous vous avons envoyé par e-mail.',
    EMAIL_IS_THE_SAME: 'Rien n’a été modifié : c’est déjà votre adresse.',
    PASSWORD_TOO_SHORT: 'Choisissez un mot de passe plus long.',
    PASSWORD_TOO_LONG: 'Choisissez un mot de passe plus court.',
    PASSWORD_TOO_COMMON: 'Ce mot de passe est trop facile à deviner. Choisissez-en un autre.',
    PASSWORD_ALREADY_SET: 'Votre compte a déjà un mot de passe. Pour en choisir un autre, saisissez-le ici avec le nouveau.',
    INVALID_PASSWORD: 'Rien n’a été modifié : le mot de passe n’est pas exact.',
    CREDENTIAL_ACCOUNT_NOT_FOUND: 'Votre compte n’a pas de mot de passe : il n’y en a aucun à confirmer.',
    SESSION_NOT_FRESH: 'Avant de continuer, confirmez que c’est bien vous.',
    REAUTHENTICATION_METHOD_NOT_AVAILABLE: 'Vous ne pouvez pas confirmer votre identité de cette façon. Choisissez-en une autre.',
    EMAIL_RECENTLY_CHANGED:
      'Rien n’a été modifié : votre adresse e-mail a changé au cours des 7 derniers jours et ce changement peut encore être annulé. Réessayez une fois ces 7 jours passés.',
    PROVIDER_NOT_FOUND: 'Rien n’a été modifié : la connexion par ce fournisseur est désactivée ici. Choisissez-en un autre.',
    PROVIDER_UNAVAILABLE: 'Le fournisseur ne répond pas pour le moment. Rien n’a été modifié ; réessayez dans un instant.',
    ACCOUNT_NOT_FOUND: 'Rien n’a été modifié : ce compte n’est plus lié. Rechargez la page pour voir lesquels le sont.',
    FAILED_TO_UNLINK_LAST_ACCOUNT:
      'Rien n’a été dissocié : vous ne pourriez plus vous connecter. Définissez un mot de passe ou liez d’abord un autre compte, puis revenez.',
    INVALID_TOKEN:
      'Ce lien ne fonctionne pas : il a déjà servi, un lien plus récent l’a remplacé, ou il n’a été copié qu’en partie.',
    EMAIL_TAKEN:
      'Rien n’a été modifié : un compte plus récent utilise cette adresse. Connectez-vous à celui-là, supprimez-le dans les paramètres, puis rouvrez ce lien : il fonctionne encore.',
    TOKEN_EXPIRED: 'Ce lien est trop ancien.',
    INVALID_USER:
      'Ce lien concerne un autre compte que celui auquel vous êtes connecté. Déconnectez-vous, puis confirmez l’adresse.',
    YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER:
      'Rien n’a été modifié : vous êtes l’unique propriétaire d’une organisation. Nommez un autre propriétaire parmi ses membres ou supprimez-la, puis revenez.',
    YOU_CANNOT_LEAVE_THE_ORGANIZATION_WITHOUT_AN_OWNER:
      'Rien n’a été modifié : une organisation a besoin d’un propriétaire. Nommez-en d’abord un autre parmi ses membres.',
    MEMBER_HAS_NOT_ACCEPTED:
      'Rien n’a été modifié : seul un membre qui a accepté de faire partie de l’organisation peut en être propriétaire. Demandez-lui d’accepter dans ses paramètres, ou invitez une nouvelle personne comme propriétaire.',
    ORGANIZATION_NOT_FOUND: 'Cette organisation n’existe pas, ou vous n’en êtes pas membre.',
    ORGANIZATION_ALREADY_EXISTS: 'Ce nom court est déjà pris. Choisissez-en un autre.',
    ORGANIZATION_SLUG_ALREADY_TAKEN: 'Rien n’a été modifié : ce nom court est déjà pris. Choisissez-en un autre.',
    YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_ORGANIZATIONS:
      'Vous appartenez à autant d’organisations qu’il est possible. Quittez-en ou supprimez-en une, puis revenez.',
    ORGANIZATION_MEMBERSHIP_LIMIT_REACHED:
      'Cette organisation est complète. Demandez à l’un de ses propriétaires de faire de la place, puis revenez.',
    MEMBER_NOT_FOUND: 'Rien n’a été modifié : cette personne n’est plus membre.',
    USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION: 'Cette personne est déjà membre.',
    USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION:
      'Une invitation est déjà ouverte pour cette adresse. Vous pouvez la renvoyer ci-dessous.',
    INVITATION_LIMIT_REACHED: 'Trop d’invitations sont ouvertes. Retirez-en, ou attendez qu’on y réponde.',
    INVITATION_NOT_FOUND:
      'Cette invitation n’est plus ouverte : on y a répondu, elle a été retirée, elle est trop ancienne, ou un e-mail plus récent l’a remplacée. Demandez-en une nouvelle.',
    YOU_ARE_NOT_THE_RECIPIENT_OF_THE_INVITATION:
      'Cette invitation est destinée à une autre adresse. Connectez-vous avec celle qui a reçu l’e-mail.',
    EMAIL_VERIFICATION_REQUIRED_FOR_INVITATION: 'Confirmez d’abord votre adresse e-mail, puis revenez.',
    EMAIL_VERIFICATION_REQUIRED_BEFORE_ACCEPTING_OR_REJECTING_INVITATION: 'Confirmez d’abord votre adresse e-mail, puis revenez.',
    YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_ORGANIZATION: roleTooLow,
    YOU_ARE_NOT_ALLOWED_TO_DELETE_THIS_ORGANIZATION:
      'Rien n’a été supprimé : seuls ses propriétaires peuvent supprimer une organisation.',
    YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_MEMBER: roleTooLow,
    YOU_ARE_NOT_ALLOWED_TO_DELETE_THIS_MEMBER: 'Personne n’a été retiré : votre rôle ne le permet plus.',
    YOU_ARE_NOT_ALLOWED_TO_INVITE_USERS_TO_THIS_ORGANIZATION: 'Personne n’a été invité : votre rôle ne le permet plus.',
    YOU_ARE_NOT_ALLOWED_TO_INVITE_USER_WITH_THIS_ROLE: 'Personne n’a été invité : ce rôle est supérieur au vôtre.',
    YOU_ARE_NOT_ALLOWED_TO_CANCEL_THIS_INVITATION: roleTooLow,
    YOU_ARE_NOT_ALLOWED_TO_LIST_INVITATIONS: 'Votre rôle ne vous permet pas de voir les invitations.',
    INVALID_CODE: 'Ce code n’est pas le bon, ou il a déjà servi.',
    INVALID_BACKUP_CODE: 'Ce code de secours n’est pas le bon, ou il a déjà servi.',
    ACCOUNT_TEMPORARILY_LOCKED:
      'Trop de codes erronés ont été saisis pour ce compte, ici ou ailleurs. Aucun code n’est accepté pour le moment.',
    PASSWORD_LOCKED:
      'Trop de mots de passe erronés ont été saisis ici ou sur vos autres appareils. Déconnectez-vous puis reconnectez-vous, ou choisissez un nouveau mot de passe par e-mail ; puis réessayez.',
    TOTP_NOT_ENABLED: 'Il n’y a pas de second facteur auquel saisir un code. Configurez-le de nouveau.',
    TOTP_ALREADY_ENABLED:
      'Rien n’a été modifié : l’authentification à deux facteurs est déjà activée. Rechargez la page pour le voir.',
    TWO_FACTOR_NOT_ENABLED: 'Rien n’a été modifié : l’authentification à deux facteurs est déjà désactivée.',
    TOO_MANY_REQUESTS: 'Trop d’essais en peu de temps.',
    SERVICE_BUSY:
      'Le service est très sollicité et n’a pas pu traiter votre demande. Rien n’a été modifié ; réessayez dans un instant.',
    SERVICE_UNAVAILABLE: 'Le service est injoignable pour le moment. Rien n’a été modifié ; réessayez dans un instant.',
    BAD_REQUEST: 'Cela n’a pas pu être lu. Revenez en arrière et renvoyez-le.',
    UNSUPPORTED_MEDIA_TYPE: 'Cela n’a pas pu être lu. Revenez en arrière et renvoyez-le.',
    PAYLOAD_TOO_LARGE: 'C’est trop à la fois. Raccourcissez, puis renvoyez.',
    NOT_FOUND: 'Il n’y a rien à cette adresse.',
    METHOD_NOT_ALLOWED: 'Cette adresse ne répond pas à cela.',
    UNAUTHORIZED: 'Vous êtes déconnecté. Connectez-vous, puis réessayez.',
    INVALID_ORIGIN:
      'La demande venait d’une page qui n’est pas la nôtre : rien n’a été fait. Ouvrez notre page et envoyez-la de là.',
    MISSING_OR_NULL_ORIGIN:
      'Votre navigateur n’a pas dit de quelle page venait la demande : rien n’a été fait. Rechargez la page, puis renvoyez-la.',
    INVALID_CALLBACK_URL: notOurs,
    INVALID_ERROR_CALLBACK_URL: notOurs,
    INVALID_NEW_USER_CALLBACK_URL: notOurs,
    INVALID_REDIRECT_URL: notOurs,
    ID_TOKEN_NOT_SUPPORTED: 'Cette façon de se connecter n’est pas proposée ici. Choisissez-en une autre.',
    EMAIL_ALREADY_VERIFIED: 'Cette adresse est déjà confirmée.',
    EMAIL_MISMATCH: 'Ce n’est pas l’adresse de votre compte.',
    USER_NOT_FOUND: 'Ce compte n’existe plus.',
    NO_ACTIVE_ORGANIZATION: 'Aucune organisation n’est choisie. Choisissez-en d’abord une.',
    ROLE_NOT_FOUND: 'Ce rôle n’existe pas. Choisissez-en un dans la liste.',
    EMAIL_CAN_NOT_BE_UPDATED: 'Rien n’a été modifié : l’adresse se change dans la rubrique E-mail.',
    FIELD_NOT_ALLOWED: 'Rien n’a été modifié : l’un de ces champs ne peut pas être changé par vous.',
    NO_FIELDS_TO_UPDATE: 'Il n’y avait rien à modifier.',
    INVALID_TWO_FACTOR_COOKIE: 'Cette connexion est terminée. Recommencez avec votre mot de passe.',
    TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE: 'Trop de codes étaient erronés. Recommencez avec votre mot de passe.',
    BACKUP_CODES_NOT_ENABLED: 'Il n’y a pas de codes de secours. Activez d’abord l’authentification à deux facteurs.',
    BACKUP_CODES_SHOWN_ONCE:
      'Les codes de secours ne sont affichés qu’une fois, à leur création. Créez-en de nouveaux si vous avez perdu les vôtres.',
    OTP_NOT_CONFIGURED:
      'Les codes par e-mail ne sont pas proposés. Utilisez votre application d’authentification ou un code de secours.',
    INTERNAL_SERVER_ERROR: 'Une erreur s’est produite de notre côté. Rien n’a été modifié ; réessayez dans un instant.',
  },
  boxes: {
    INVALID_PASSWORD: 'Ce n’est pas votre mot de passe. Vérifiez la saisie.',
    INVALID_CODE: 'Saisissez le code que votre application d’authentification affiche maintenant.',
    INVALID_BACKUP_CODE: 'Saisissez un autre de vos codes de secours.',
    EMAIL_IS_THE_SAME: 'Saisissez une autre adresse.',
    SLUG_TAKEN: 'Choisissez un autre nom court.',
  },
  fields: {
    emailInvalid: 'Saisissez une adresse e-mail valide',
    emailTooLong: `Trop long : ${fieldLengths.email} caractères au plus`,
    emailLocalPartTooLong: `Trop long : ${fieldLengths.emailLocalPart} caractères au plus avant le @`,
    passwordMissing: 'Saisissez un mot de passe',
    passwordTooShort: `Utilisez au moins ${passwordLength.min} caractères`,
    passwordTooLong: `Utilisez au plus ${passwordLength.max} caractères`,
    tooLong: 'Trop long',
    nameMissing: 'Saisissez un nom',
    nameTooLong: `Trop long : ${fieldLengths.name} caractères au plus`,
    nameInvisibleCharacters: 'Saisissez un nom sans caractères invisibles',
    nameInvisible: 'Saisissez un nom visible',
    nameWithoutLetter: 'Utilisez au moins une lettre ou un chiffre',
    slugMissing: 'Saisissez un nom court',
    slugTooLong: `Trop long : ${fieldLengths.slug} caractères au plus`,
    slugForm: 'Utilisez les lettres de a à z, des chiffres, et des tirets entre eux',
    slugReserved: 'Ce nom court est réservé',
    codeMissing: 'Saisissez un code',
    passwordOrCodeMissing: 'Saisissez votre mot de passe ou un code',
    straightRow: 'Les suites de touches voisines du clavier sont faciles à deviner.',
    keyPattern: 'Les motifs courts tracés sur le clavier sont faciles à deviner.',
    simpleRepeat: 'Les caractères répétés, comme « aaa », sont faciles à deviner.',
    extendedRepeat: 'Les motifs répétés, comme « abcabcabc », sont faciles à deviner.',
    sequences: 'Les suites courantes, comme « abc », sont faciles à deviner.',
    recentYears: 'Les années récentes sont faciles à deviner.',
    dates: 'Les dates sont faciles à deviner.',
    topTen: 'Ce mot de passe est l’un des plus utilisés au monde.',
    topHundred: 'Ce mot de passe est très souvent utilisé.',
    common: 'Ce mot de passe est souvent utilisé.',
    similarToCommon: 'Ce mot de passe ressemble à un mot de passe souvent utilisé.',
    wordByItself: 'Un mot seul est facile à deviner.',
    namesByThemselves: 'Un nom ou un prénom seul est facile à deviner.',
    commonNames: 'Les noms et prénoms courants sont faciles à deviner.',
    userInputs: 'N’y mettez rien qui vienne de vous ou de ce service, comme votre nom ou votre adresse.',
    pwned: 'Ce mot de passe a été divulgué lors d’une fuite de données.',
    easyToGuess: 'C’est facile à deviner : ajoutez un ou deux mots qui n’ont rien à voir avec vous',
    other: 'Cela ne convient pas. Choisissez autre chose.',
  },
  activity: {
    'sign-up': 'Compte créé',
    'sign-in': 'Connexion',
    'sign-out': 'Déconnexion',
    reauthenticate: 'Identité confirmée',
    'request-reauthentication-link': 'Lien de confirmation d’identité demandé',
    'revoke-session': 'Appareils déconnectés',
    'verify-email': 'Adresse e-mail confirmée',
    'request-email-change': 'Changement d’adresse e-mail demandé',
    'change-email': 'Adresse e-mail changée',
    'undo-email-change': 'Changement d’adresse e-mail annulé',
    'clear-password': 'Mot de passe supprimé',
    'restore-two-factor': 'Ancienne double authentification réactivée',
    'remove-backup-codes': 'Codes de secours supprimés',
    'request-password-reset': 'Lien pour un nouveau mot de passe demandé',
    'reset-password': 'Nouveau mot de passe défini par un lien reçu',
    'change-password': 'Mot de passe changé',
    'set-password': 'Mot de passe défini',
    'pause-password': 'Mot de passe refusé depuis un nouvel appareil, après trop d’erreurs',
    'link-account': 'Compte lié pour se connecter',
    'unlink-account': 'Compte lié retiré',
    'update-user': 'Profil ou réglages de trading modifiés',
    'export-data': 'Données personnelles téléchargées',
    'request-account-deletion': 'Lien de suppression du compte demandé',
    'create-organization': 'Organisation créée',
    'update-organization': 'Organisation modifiée',
    'delete-organization': 'Organisation supprimée',
    'add-member': 'Ajout à une organisation',
    'accept-membership': 'Ajout à une organisation accepté',
    'drop-membership': 'Fin d’une appartenance qui n’avait pas été acceptée',
    'remove-member': 'Retrait d’une organisation',
    'update-member-role': 'Rôle modifié dans une organisation',
    'leave-organization': 'Organisation quittée',
    'invite-member': 'Invitation envoyée pour une organisation',
    'accept-invitation': 'Organisation rejointe',
    'reject-invitation': 'Invitation déclinée',
    'cancel-invitation': 'Invitation retirée',
    'two-factor-challenge': 'Mot de passe accepté, code demandé',
    'prepare-two-factor': 'Configuration de l’authentification à deux facteurs commencée',
    'enable-two-factor': 'Authentification à deux facteurs activée',
    'verify-two-factor': 'Code saisi',
    'lock-two-factor': 'Codes bloqués après trop d’erreurs',
    'disable-two-factor': 'Authentification à deux facteurs désactivée',
    'replace-backup-codes': 'Nouveaux codes de secours créés',
    'revoke-trusted-device': 'Appareil de confiance retiré',
    'import-user': 'Compte repris de l’ancien service',
    'retry-mail': 'Un message impossible à remettre est renvoyé',
    'drop-mail': 'Un message impossible à remettre a été abandonné',
    'suspend-user': 'Compte suspendu par l’assistance',
    'restore-user': 'Compte rétabli par l’assistance',
  },
  activityFailed: {
    'sign-in': 'Tentative de connexion échouée',
    'verify-two-factor': 'Code erroné saisi',
  },
  notices: {
    landing: {
      'account-deleted':
        'Votre compte est supprimé, et tout ce qui était à vous avec lui. Merci pour le temps passé ici. Bonne continuation.',
    },
    login: {
      verified: 'Votre adresse est confirmée. Vous pouvez maintenant vous connecter.',
      'password-cleared':
        'Votre adresse est confirmée. Quelqu’un d’autre s’était aussi inscrit avec elle, aucun mot de passe ne compte donc encore : nous vous avons envoyé un lien pour en choisir un.',
      'address-changed': 'Votre nouvelle adresse est confirmée. Connectez-vous désormais avec elle.',
      'password-reset':
        'Votre nouveau mot de passe est défini, et tous les appareils sont déconnectés. Connectez-vous maintenant avec lui.',
      'confirm-change':
        'Connectez-vous au compte qui a demandé à utiliser cette adresse. Rouvrez ensuite le lien reçu par e-mail.',
      'signed-out': 'Vous êtes déconnecté.',
      'signed-out-everywhere': 'Vous êtes déconnecté de tous les appareils.',
    },
    accounts: {
      linked: 'C’est lié. Désormais, vous pouvez aussi vous connecter par ce moyen.',
    },
    deleteAccount: {
      confirmed: 'Votre identité est confirmée. Rouvrez maintenant le lien reçu par e-mail.',
    },
    email: {
      changed:
        'Votre adresse est changée. Nous en avons informé l’ancienne, avec un lien qui annule le changement pendant quelques jours.',
    },
    organization: {
      created: 'L’organisation est créée, et vous en êtes propriétaire.',
      joined: 'Vous êtes maintenant membre.',
      update: 'L’organisation est enregistrée.',
    },
    organizations: {
      left: 'Vous avez quitté l’organisation.',
      accepted: 'Vous avez accepté de faire partie de l’organisation.',
      deleted: 'L’organisation est supprimée, avec ses appartenances et ses invitations.',
      declined: 'Vous avez décliné l’invitation.',
    },
    profile: {
      language: 'Votre langue est enregistrée.',
    },
  },
  undoWill: (effects, providerName) =>
    sentences([
      'Votre compte utilise de nouveau cette adresse.',
      'Toutes les sessions sont fermées, sur tous les appareils.',
      effects.passwordRemoved
        ? 'Votre mot de passe ne fonctionne plus. Nous vous envoyons un lien pour en choisir un nouveau.'
        : 'Nous vous envoyons un lien pour choisir un mot de passe.',
      ...effects.unlinkedProviders.map(
        (id) => `${providerName(id)} n’est plus lié à votre compte. Vous pourrez le lier de nouveau.`,
      ),
      effects.twoFactor === 'removed' &&
        'La double authentification, activée récemment, est désactivée. Vous pourrez la configurer de nouveau.',
      effects.twoFactor === 'restored' &&
        'Votre ancienne double authentification est réactivée. Il vous faudra l’application que vous aviez auparavant.',
      effects.backupCodesRemoved && 'Les codes de secours créés récemment ne fonctionnent plus.',
      effects.trustedDevices > 0 && 'Chaque appareil demande de nouveau un code.',
      effects.invitations > 0 && `Les invitations en attente que vous avez envoyées sont annulées : ${effects.invitations}.`,
      effects.tradingDisabled && 'Le trading est désactivé. Vous pourrez le réactiver ensuite.',
      effects.riskLevelLowered && 'Votre niveau de risque passe au plus bas.',
      effects.profileRestored && 'Votre nom et votre photo redeviennent ceux d’avant le changement.',
    ]),
  undoDid: (effects, providerName) =>
    sentences([
      'Votre compte utilise de nouveau cette adresse, et toutes les sessions ont été fermées.',
      effects.passwordRemoved
        ? 'Votre mot de passe ne fonctionne plus. Nous vous avons envoyé un lien pour en choisir un nouveau.'
        : 'Nous vous avons envoyé un lien pour choisir un mot de passe.',
      ...effects.unlinkedProviders.map(
        (id) => `${providerName(id)} n’est plus lié à votre compte. Vous pouvez le lier de nouveau dans Comptes liés.`,
      ),
      effects.twoFactor === 'removed' &&
        'La double authentification a été désactivée. Configurez-la de nouveau dans Sécurité une fois connecté.',
      effects.twoFactor === 'restored' &&
        'Votre ancienne double authentification est de nouveau active. Utilisez l’application que vous aviez auparavant.',
      effects.backupCodesRemoved && 'Les codes de secours récents ne fonctionnent plus. Créez-en de nouveaux dans Sécurité.',
      effects.trustedDevices > 0 && 'Chaque appareil demande de nouveau un code.',
      effects.invitations > 0 &&
        `Les invitations en attente que vous aviez envoyées ont été annulées : ${effects.invitations}. Renvoyez-les si besoin.`,
      effects.tradingDisabled && 'Le trading a été désactivé. Vous pouvez le réactiver dans Trading.',
      effects.riskLevelLowered && 'Votre niveau de risque est maintenant le plus bas.',
      effects.profileRestored && 'Votre nom et votre photo sont ceux d’avant le changement.',
    ]),
  passwordAccepted: 'Difficile à deviner : ce mot de passe convient.',
  formUnreadable: 'Ce formulaire n’a pas pu être lu. Revenez en arrière et renvoyez-le.',
  tryAgainIn: (amount, unit) =>
    ` Réessayez dans ${amount} ${{ second: 'seconde', minute: 'minute', hour: 'heure' }[unit]}${amount < 2 ? '' : 's'}.`,
  organizations: (slugs) => ` Organisations : ${slugs}.`,
  socialRefusals: {
    service_unavailable: ['Nous n’avons pas pu terminer pour le moment.', 'Réessayez dans un instant.'],
    too_many_requests: [
      'Il y a eu trop d’essais depuis votre adresse.',
      'Attendez quelques minutes, puis recommencez depuis cette page.',
    ],
    state_not_found: ['Le fournisseur vous a renvoyé ici sans dire de quelle tentative il s’agissait.', startAgain],
    state_mismatch: [
      `Cette tentative ne compte plus : elle a duré plus de ${policy.socialFlow.lifetime / 60} minutes, elle a déjà servi, ou elle a commencé dans un autre navigateur ou une autre connexion.`,
      'Recommencez depuis cette page, et terminez dans le même navigateur.',
    ],
    issuer_mismatch: [
      'La réponse ne venait pas du fournisseur que vous avez choisi : nous ne l’avons pas utilisée.',
      'Recommencez depuis cette page. Si cela se reproduit, n’allez pas plus loin : prévenez les responsables de ce service.',
    ],
    access_denied: [
      'Le fournisseur ne nous a pas laissé voir qui vous êtes : l’accès y a été refusé.',
      'Réessayez en l’autorisant, ou utilisez un autre moyen.',
    ],
    provider_error: ['Le fournisseur a signalé une panne de son côté.', tryLater],
    provider_unavailable: ['Le fournisseur ne répond pas pour le moment.', tryLater],
    no_code: ['Le fournisseur vous a renvoyé ici sans la preuve que c’est bien vous.', tryAgain],
    invalid_code: ['Le fournisseur n’acceptait plus la preuve que c’est bien vous.', tryAgain],
    unable_to_get_user_info: [
      'Ce que le fournisseur a dit de vous n’a pas pu être vérifié : nous ne l’avons pas utilisé.',
      tryAgain,
    ],
    email_not_found: [
      'Le fournisseur ne nous a donné aucune adresse e-mail, et un compte en a besoin.',
      'Ajoutez une adresse à votre compte chez lui et réessayez, ou inscrivez-vous avec votre adresse e-mail et un mot de passe.',
    ],
    email_not_verified: [
      'Le fournisseur n’a pas confirmé que votre adresse e-mail est bien la vôtre.',
      'Confirmez l’adresse chez lui et réessayez, ou inscrivez-vous avec votre adresse e-mail et un mot de passe.',
    ],
    account_not_linked: [
      'Un compte utilise déjà votre adresse e-mail, et nous ne pouvons pas être sûrs que les deux sont à vous.',
      'Connectez-vous comme auparavant, puis liez le fournisseur dans les paramètres, rubrique Comptes.',
    ],
    account_already_linked_to_different_user: [
      'Rien n’a été lié : ce compte appartient ici à quelqu’un d’autre, peut-être à un autre compte à vous.',
      'Choisissez-en un autre chez le fournisseur. Ou connectez-vous avec lui, dissociez-le dans les paramètres, puis revenez.',
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
      'Si vous pensez qu’il s’agit d’une erreur, adressez-vous aux responsables de ce service.',
    ],
    unknown: ['Le passage par le fournisseur n’a pas fonctionné.', tryAgain],
  },
}
