import { type AllowedAddress, bulletList, durationIn, type MailTexts, momentIn } from '../mail-texts.ts'
import { maskAddress, oneLine, plainName, shortenAddress } from '../plain-words.ts'

const duration = durationIn('fr')

const moment = momentIn('fr')

const describeAddress = (title: string, { kind, value, label }: AllowedAddress) =>
  bulletList(title, [label !== '' && `Nom : ${plainName(label)}`, `Type : ${kind}`, `Adresse : ${shortenAddress(value)}`])

const as = { owner: 'de propriétaire', admin: 'd’administrateur', member: 'de membre' }

type KeyOwner = string | null

const keyOwner = (organization: KeyOwner, appName: string) =>
  organization === null ? `votre compte ${appName}` : `l’organisation ${plainName(organization)} sur ${appName}`
const actFor = (organization: KeyOwner, appName: string) =>
  organization === null
    ? `utiliser votre compte ${appName}`
    : `agir au nom de l’organisation « ${plainName(organization)} » sur ${appName}`
const ofOrganization = (organization: KeyOwner) =>
  organization === null ? '' : ` de l’organisation « ${plainName(organization)} »`
const keySettings = (organization: KeyOwner) => (organization === null ? 'vos paramètres' : 'les paramètres de l’organisation')
const seeKeys = (organization: KeyOwner) => (organization === null ? 'Voir mes clés d’API' : 'Voir les clés d’API')

export const mails: MailTexts = {
  greeting: (name) => (name ? `Bonjour ${name},` : 'Bonjour,'),
  support: 'Contacter l’assistance',
  phrase: (phrase) => `Votre phrase : ${phrase}`,
  held: (until) => `Pour protéger votre argent, les retraits sont suspendus jusqu’au ${moment(until)} UTC.`,
  panic: {
    text: 'Ce n’était pas vous ? Un clic déconnecte tous vos appareils, désactive vos clés d’API et bloque les retraits :',
    label: 'Tout arrêter',
  },
  copyLink: 'Si le bouton ne fonctionne pas, copiez ce lien dans votre navigateur\u00a0:',
  linkLabel: (label) => `${label}\u00a0:`,
  typeset,
  reasons: {
    'sign-up': (appName) => `Vous recevez cet e‑mail car votre adresse a servi à une inscription sur ${appName}.`,
    request: (appName) => `Vous recevez cet e‑mail car votre adresse a été saisie sur ${appName}.`,
    'account-request': (appName) => `Vous recevez cet e‑mail à la suite d’une demande faite depuis votre compte ${appName}.`,
    security: (appName) => `Vous recevez cet e‑mail car il concerne la sécurité de votre compte ${appName}.`,
    'former-email': (appName) => `Vous recevez cet e‑mail car un compte ${appName} utilisait votre adresse jusqu’à présent.`,
    invitation: (appName) => `Vous recevez cet e‑mail car une organisation vous invite sur ${appName}.`,
    membership: (appName) => `Vous recevez cet e‑mail car votre place dans une organisation a changé sur ${appName}.`,
    webhook: (appName) => `Vous recevez cet e‑mail car vous êtes le contact d’un webhook de ${appName}.`,
    administration: (appName) => `Vous recevez cet e‑mail car vous faites partie de l’administration de ${appName}.`,
    support: (appName) =>
      `Vous recevez cet e‑mail car notre équipe est intervenue sur votre compte ${appName} ou sur votre organisation.`,
    farewell: (appName) => `Vous recevez cet e‑mail car votre adresse était celle d’un compte ${appName}.`,
  },
  contents: {
    'verify-email': ({ appName, url, hours }) => ({
      subject: `Confirmez votre adresse e‑mail pour ${appName}`,
      preheader: `Un clic et vous pourrez vous connecter. Ce lien est valable ${duration.hours(hours)}.`,
      heading: 'Confirmez votre adresse e‑mail',
      paragraphs: [
        `Merci pour votre inscription sur ${appName}. Confirmez que cette adresse est bien la vôtre, et vous pourrez vous connecter.`,
      ],
      action: { label: 'Confirmer mon adresse', url },
      footnote: `Ce lien est valable ${duration.hours(hours)}. Si cette inscription ne vient pas de vous, vous n’avez rien à faire : le compte reste fermé tant que votre adresse n’est pas confirmée.`,
    }),
    'create-passkey': ({ appName, url, hours }) => ({
      subject: `Créez votre clé d’accès pour ${appName}`,
      preheader: `Elle ouvrira votre compte. Ce lien est valable ${duration.hours(hours)}.`,
      heading: 'Créez votre clé d’accès',
      paragraphs: [
        `Merci pour votre inscription sur ${appName}. Ouvrez ce lien sur l’appareil avec lequel vous voulez vous connecter. En créant votre clé d’accès, vous confirmez aussi votre adresse.`,
      ],
      action: { label: 'Créer ma clé d’accès', url },
      footnote: `Ce lien est valable ${duration.hours(hours)}. Si cette inscription ne vient pas de vous, vous n’avez rien à faire : le compte reste fermé tant qu’aucune clé d’accès n’est créée.`,
    }),
    'already-registered': ({ appName, signInUrl, resetUrl }) => ({
      subject: `Vous avez déjà un compte ${appName}`,
      preheader: 'Quelqu’un a essayé de s’inscrire avec votre adresse. Rien n’a changé.',
      heading: 'Vous avez déjà un compte',
      paragraphs: [
        `Quelqu’un, sans doute vous, vient d’essayer de s’inscrire sur ${appName} avec cette adresse. Vous avez déjà un compte : rien n’a été créé, rien n’a changé.`,
        'Si c’était vous, connectez-vous. Si vous avez oublié votre mot de passe, choisissez-en un nouveau.',
      ],
      action: { label: 'Se connecter', url: signInUrl },
      secondAction: { label: 'Choisir un nouveau mot de passe', url: resetUrl },
      footnote: 'Si ce n’était pas vous, vous n’avez rien à faire. Nous n’avons pas révélé que vous avez un compte.',
    }),
    'reset-password': ({ appName, url, minutes }) => ({
      subject: `Choisissez un nouveau mot de passe pour ${appName}`,
      preheader: `Ce lien est valable ${duration.minutes(minutes)}.`,
      heading: 'Choisissez un nouveau mot de passe',
      paragraphs: [`Quelqu’un, sans doute vous, a demandé à réinitialiser le mot de passe de votre compte ${appName}.`],
      action: { label: 'Choisir un nouveau mot de passe', url },
      footnote: `Ce lien est valable ${duration.minutes(minutes)} et ne sert qu’une fois. Si vous n’avez rien demandé, ignorez cet e‑mail : votre mot de passe reste le même.`,
    }),
    'password-changed': ({ appName, byReset, resetUrl, apiKeysUrl }) => ({
      subject: `Votre mot de passe ${appName} a été modifié`,
      preheader: 'Si c’était vous, vous n’avez rien à faire.',
      heading: 'Votre mot de passe a été modifié',
      paragraphs: [
        `Le mot de passe de votre compte ${appName} vient d’être modifié, et ${byReset ? 'tous vos appareils' : 'vos autres appareils'} ont été déconnectés. Si c’était vous, vous n’avez rien à faire.`,
        'Si ce n’était pas vous, choisissez tout de suite un nouveau mot de passe. Tous vos appareils seront alors déconnectés.',
        ...(apiKeysUrl === null
          ? []
          : [
              'Vos clés d’API continuent de fonctionner. Si l’une d’elles ne vous dit rien, supprimez-la dans vos paramètres, rubrique Clés d’API.',
            ]),
      ],
      action: { label: 'Ce n’était pas moi', url: resetUrl },
      ...(apiKeysUrl !== null && { secondAction: { label: 'Voir mes clés d’API', url: apiKeysUrl } }),
    }),
    'password-cleared': ({ appName, url, minutes }) => ({
      subject: `Choisissez un nouveau mot de passe pour votre compte ${appName}`,
      preheader: 'Nous avons supprimé l’ancien pour que personne d’autre ne puisse l’utiliser.',
      heading: 'Choisissez un nouveau mot de passe',
      paragraphs: [
        `Pour que personne d’autre n’accède à votre compte ${appName}, nous avons supprimé son mot de passe et déconnecté tous les appareils. Choisissez un nouveau mot de passe pour vous reconnecter.`,
      ],
      action: { label: 'Choisir un nouveau mot de passe', url },
      footnote: `Ce lien est valable ${duration.minutes(minutes)} et ne sert qu’une fois. Vous pouvez en demander un autre sur la page de connexion.`,
    }),
    'password-paused': ({ appName, deviceKind, resetUrl }) => ({
      subject: `Quelqu’un essaie de deviner le mot de passe de votre compte ${appName}`,
      preheader:
        deviceKind === 'known'
          ? 'Les tentatives venaient de l’un de vos appareils ou de l’une de vos sessions.'
          : 'Rien ne change sur vos propres appareils.',
      heading: 'Trop de mots de passe incorrects',
      paragraphs:
        deviceKind === 'known'
          ? [
              `Quelqu’un a saisi de nombreux mots de passe incorrects pour votre compte ${appName}, sur l’un de vos appareils ou dans une session ouverte. Vos paramètres n’accepteront plus de mot de passe jusqu’à votre prochaine connexion.`,
              'Si ce n’était pas vous, choisissez un nouveau mot de passe. Déconnectez ensuite tous vos appareils dans Appareils et sessions : ils compteront alors comme nouveaux.',
            ]
          : [
              `Quelqu’un a saisi tant de mots de passe incorrects pour votre compte ${appName} que le vôtre ne fonctionne plus sur un nouvel appareil. Rien ne change sur les appareils que vous utilisez déjà.`,
              'Pour vous connecter sur un nouvel appareil, choisissez d’abord un nouveau mot de passe.',
            ],
      action: { label: 'Choisir un nouveau mot de passe', url: resetUrl },
    }),
    'password-set': ({ appName, resetUrl }) => ({
      subject: `Votre compte ${appName} a maintenant un mot de passe`,
      preheader: 'Si c’était vous, vous n’avez rien à faire.',
      heading: 'Votre compte a maintenant un mot de passe',
      paragraphs: [
        `Un mot de passe vient d’être ajouté à votre compte ${appName}. Vous pouvez vous connecter avec ce mot de passe et votre adresse, ou comme avant.`,
        'Si ce n’était pas vous, choisissez tout de suite un nouveau mot de passe. Tous vos appareils seront alors déconnectés.',
      ],
      action: { label: 'Ce n’était pas moi', url: resetUrl },
    }),
    'change-email-confirm': ({ appName, account, url, hours }) => ({
      subject: `Confirmez votre nouvelle adresse e‑mail pour ${appName}`,
      preheader: `Rien ne change sans votre confirmation. Ce lien est valable ${duration.hours(hours)}.`,
      heading: 'Confirmez votre nouvelle adresse e‑mail',
      paragraphs: [
        `Quelqu’un, sans doute vous, a demandé à utiliser cette adresse pour le compte ${appName} ${maskAddress(account)}. Une fois confirmée, elle vous servira à vous connecter. Ne confirmez que si ce compte est le vôtre.`,
      ],
      action: { label: 'Utiliser cette adresse', url },
      footnote: `Ce lien est valable ${duration.hours(hours)} et ne sert qu’une fois. Si vous n’avez rien demandé, ignorez cet e‑mail : rien ne changera.`,
    }),
    'email-change-requested': ({ appName, newEmail, resetUrl }) => ({
      subject: `Changement d’adresse e‑mail demandé sur votre compte ${appName}`,
      preheader: 'Rien n’a encore changé.',
      heading: 'Changement d’adresse e‑mail demandé',
      paragraphs: [
        `Quelqu’un, sans doute vous, a demandé à remplacer l’adresse e‑mail de votre compte ${appName} par ${maskAddress(newEmail)}. Rien ne change tant que cette nouvelle adresse n’est pas confirmée. Si c’était vous, vous n’avez rien à faire.`,
        'Si ce n’était pas vous, quelqu’un d’autre utilise peut-être votre compte. Choisissez tout de suite un nouveau mot de passe : tous vos appareils seront déconnectés.',
      ],
      action: { label: 'Ce n’était pas moi', url: resetUrl },
    }),
    'email-changed': ({ appName, newEmail, cause, undoUrl, days }) => ({
      subject: `L’adresse e‑mail de votre compte ${appName} a été modifiée`,
      preheader:
        undoUrl === null
          ? 'Votre compte n’utilise plus cette adresse.'
          : `Si ce n’était pas vous, vous pouvez annuler ce changement pendant ${duration.days(days)}.`,
      heading: 'Votre adresse e‑mail a été modifiée',
      paragraphs: [
        `Votre compte ${appName} utilise maintenant l’adresse ${maskAddress(newEmail)}. Vous ne pouvez plus vous connecter avec l’ancienne. Si c’était vous, vous n’avez rien à faire.`,
        cause === 'undo'
          ? `Le changement vient d’un lien d’annulation envoyé à une adresse antérieure du compte. Si ce n’était pas vous, contactez l’équipe ${appName}.`
          : undoUrl === null
            ? `Le compte avait déjà changé d’adresse il y a moins de ${duration.days(days)}. Si ce n’était pas vous, ouvrez le lien d’annulation reçu à l’adresse d’alors : il annule les deux changements.`
            : 'Si ce n’était pas vous, annulez le changement : vous retrouverez votre adresse, et tous vos appareils seront déconnectés.',
      ],
      ...(undoUrl !== null && {
        action: { label: 'Annuler le changement', url: undoUrl },
        footnote: `Ce lien est valable ${duration.days(days)} et ne sert qu’une fois.`,
      }),
      needsSupport: cause === 'undo',
    }),
    'email-change-undone': ({ appName, url, minutes, securityUrl, effects }) => ({
      subject: `Vous avez récupéré votre compte ${appName}. Choisissez un nouveau mot de passe`,
      preheader: 'Le changement d’adresse a été annulé. Choisissez un nouveau mot de passe pour vous connecter.',
      heading: 'Le changement d’adresse a été annulé',
      paragraphs: [
        'Votre compte utilise de nouveau cette adresse. Tous les appareils ont été déconnectés. Choisissez un nouveau mot de passe pour vous connecter.',
      ],
      ...bulletList('Nous avons aussi pris ces mesures :', [
        effects.passwordRemoved && 'Le mot de passe a été supprimé.',
        ...effects.unlinkedProviders.map(
          (name) => `${plainName(name)} n’est plus lié à votre compte. Vous pouvez le lier de nouveau.`,
        ),
        effects.twoFactor === 'removed' &&
          'La double authentification, activée récemment, a été désactivée. Configurez-la de nouveau.',
        effects.twoFactor === 'restored' &&
          'Votre ancienne double authentification est de nouveau active. Utilisez la clé d’accès ou l’application que vous aviez avant.',
        effects.backupCodesRemoved && 'Les codes de secours créés récemment ont été supprimés. Créez-en de nouveaux.',
        effects.passkeysRemoved > 0 && 'Les clés d’accès ajoutées récemment ont été supprimées. Ajoutez de nouveau les vôtres.',
        effects.addressesRemoved > 0 &&
          'Les adresses de retrait ajoutées récemment ont été supprimées. Ajoutez de nouveau les vôtres.',
        effects.apiKeysRemoved > 0 &&
          'Les clés d’API créées ou modifiées récemment ont été supprimées. Créez de nouveau les vôtres.',
        effects.trustedDevices > 0 && 'Chaque appareil demandera de nouveau un second facteur.',
        effects.invitations > 0 && 'Les invitations en attente que vous aviez envoyées ont été annulées. Renvoyez-les si besoin.',
        effects.tradingDisabled && 'Le trading a été désactivé. Réactivez-le quand vous voudrez.',
        effects.riskLevelLowered && 'Votre niveau de risque a été ramené au plus bas.',
        effects.profileRestored && 'Votre ancien nom et votre ancienne photo ont été rétablis.',
      ]),
      action: { label: 'Choisir un nouveau mot de passe', url },
      ...(effects.twoFactor === 'removed' && {
        secondAction: { label: 'Configurer de nouveau la double authentification', url: securityUrl },
      }),
      footnote: `Ce lien est valable ${duration.minutes(minutes)} et ne sert qu’une fois. Vous pouvez en demander un autre sur la page de connexion.`,
    }),
    'delete-account': ({ appName, url, minutes }) => ({
      subject: `Confirmez la suppression de votre compte ${appName}`,
      preheader: `Rien n’est supprimé sans votre confirmation. Ce lien est valable ${duration.minutes(minutes)}.`,
      heading: 'Supprimer votre compte ?',
      paragraphs: [
        `Vous avez demandé la suppression de votre compte ${appName}. Une fois votre confirmation reçue, nous le supprimons avec toutes ses données. Cette action est irréversible.`,
      ],
      action: { label: 'Supprimer mon compte', url },
      footnote: `Ce lien est valable ${duration.minutes(minutes)} et ne sert qu’une fois. Si vous n’avez rien demandé, ne l’ouvrez pas. Connectez-vous et changez de mot de passe : quelqu’un d’autre utilise peut-être votre compte.`,
    }),
    reauthenticate: ({ appName, url, minutes }) => ({
      subject: `Confirmez que c’est bien vous sur ${appName}`,
      preheader: `Ce lien est valable ${duration.minutes(minutes)}.`,
      heading: 'Confirmez que c’est bien vous',
      paragraphs: [
        'Ouvrez ce lien dans le navigateur où votre session est ouverte. Vous pourrez ensuite terminer ce que vous aviez commencé.',
      ],
      action: { label: 'C’est bien moi', url },
      footnote: `Ce lien est valable ${duration.minutes(minutes)} et ne sert qu’une fois. Si vous n’avez rien demandé, ne l’ouvrez pas : quelqu’un d’autre utilise peut-être votre compte. Connectez-vous, puis déconnectez tous les autres appareils.`,
    }),
    'account-linked': ({ appName, provider, accountsUrl }) => ({
      subject: `Vous pouvez maintenant vous connecter à ${appName} avec ${provider}`,
      preheader: 'Si ce n’était pas vous, dissociez ce compte tout de suite.',
      heading: `Votre compte est maintenant lié à ${provider}`,
      paragraphs: [
        `Un compte ${provider} vient d’être lié à votre compte ${appName} : vous pouvez maintenant vous en servir pour vous connecter. Si c’était vous, vous n’avez rien à faire.`,
        'Si ce n’était pas vous, dissociez-le tout de suite et choisissez un nouveau mot de passe.',
      ],
      action: { label: 'Voir les comptes liés', url: accountsUrl },
    }),
    'account-unlinked': ({ appName, provider, resetUrl }) => ({
      subject: provider
        ? `${provider} a été dissocié de votre compte ${appName}`
        : `Le mot de passe de votre compte ${appName} a été retiré`,
      preheader: 'Si ce n’était pas vous, choisissez tout de suite un nouveau mot de passe.',
      heading: provider ? `${provider} a été dissocié de votre compte` : 'Le mot de passe de votre compte a été retiré',
      paragraphs: [
        `Vous ne pouvez plus vous connecter à votre compte ${appName} avec ${provider ?? 'un mot de passe'}. Si c’était vous, vous n’avez rien à faire.`,
        'Si ce n’était pas vous, choisissez tout de suite un nouveau mot de passe : tous vos appareils seront déconnectés.',
      ],
      action: { label: 'Choisir un nouveau mot de passe', url: resetUrl },
    }),
    'account-deleted': ({ appName }) => ({
      subject: `Votre compte ${appName} a été supprimé`,
      preheader: 'Toutes ses données l’ont été aussi.',
      heading: 'Votre compte a été supprimé',
      paragraphs: [`Votre compte ${appName} et toutes ses données ont été supprimés.`],
      footnote: `C’est le dernier e‑mail que vous recevrez à propos de ce compte. Si vous ne l’avez pas supprimé, contactez tout de suite l’équipe ${appName}.`,
      needsSupport: true,
    }),
    'phrase-changed': ({ appName, protectionUrl }) => ({
      subject: `La phrase de vos e‑mails ${appName} a été modifiée`,
      preheader: 'Si c’était vous, vous n’avez rien à faire.',
      heading: 'Votre phrase a été modifiée',
      paragraphs: [
        'La phrase de nos e‑mails vient d’être modifiée ou supprimée. Si vous en aviez déjà une, cet e‑mail l’affiche encore.',
      ],
      action: { label: 'Vérifier ma protection', url: protectionUrl },
    }),
    'hold-lifted': ({ appName, protectionUrl }) => ({
      subject: `Une suspension de vos retraits ${appName} a été levée`,
      preheader: 'Elle a été levée avec l’une de vos clés d’accès.',
      heading: 'Une suspension des retraits a été levée',
      paragraphs: ['Quelqu’un, sans doute vous, vient de lever une suspension des retraits avec l’une de vos clés d’accès.'],
      action: { label: 'Vérifier ma protection', url: protectionUrl },
    }),
    'account-locked': ({ appName, days, protectionUrl }) => ({
      subject: `Votre compte ${appName} est verrouillé`,
      preheader: 'Sa sécurité ne peut plus être modifiée, même par vous.',
      heading: 'Votre compte est verrouillé',
      paragraphs: [
        'Tant que le verrou est actif, votre mot de passe, votre adresse e‑mail et vos clés d’accès ne peuvent pas être modifiés, aucune clé d’API ne peut être créée ni recevoir plus de droits, et aucun retrait n’est possible.',
        `Vous pouvez toujours vous connecter et trader. Le déverrouillage prend ${duration.days(days)}. Avec votre code de déverrouillage et une clé d’accès, il est immédiat.`,
      ],
      action: { label: 'Vérifier ma protection', url: protectionUrl },
    }),
    'unlock-requested': ({ appName, until, byOperator, protectionUrl }) => ({
      subject: `Votre compte ${appName} va être déverrouillé`,
      preheader: `Le verrou prend fin le ${moment(until)} UTC.`,
      heading: 'Votre compte va être déverrouillé',
      paragraphs: [
        `${byOperator ? 'Notre équipe a demandé' : 'Quelqu’un, sans doute vous, a demandé'} à déverrouiller votre compte. Le verrou prend fin le ${moment(until)} UTC.`,
        'Si vous ne le souhaitez pas, ouvrez cette page et choisissez « Garder le verrou ».',
      ],
      action: { label: 'Vérifier ma protection', url: protectionUrl },
    }),
    'unlock-canceled': ({ appName, protectionUrl }) => ({
      subject: `Votre compte ${appName} reste verrouillé`,
      preheader: 'La demande de déverrouillage a été annulée.',
      heading: 'Votre compte reste verrouillé',
      paragraphs: ['Quelqu’un, sans doute vous, a annulé la demande de déverrouillage de votre compte.'],
      action: { label: 'Vérifier ma protection', url: protectionUrl },
    }),
    'account-unlocked': ({ appName, by, protectionUrl }) => ({
      subject: `Votre compte ${appName} est déverrouillé`,
      preheader: 'Si c’était vous, vous n’avez rien à faire.',
      heading: 'Votre compte est déverrouillé',
      paragraphs: [
        by === 'key'
          ? 'Votre compte vient d’être déverrouillé avec votre code de déverrouillage et une clé d’accès.'
          : 'Quelqu’un, sans doute vous, vient d’annuler « Tout arrêter » avec l’une de vos clés d’accès. Vos clés d’API restent désactivées jusqu’à ce que vous les réactiviez.',
      ],
      action: { label: 'Vérifier ma protection', url: protectionUrl },
    }),
    'unlock-refused': ({ appName, protectionUrl }) => ({
      subject: `Quelqu’un a essayé de déverrouiller votre compte ${appName}`,
      preheader: 'Il reste verrouillé.',
      heading: 'Tentative de déverrouillage refusée',
      paragraphs: ['Quelqu’un a essayé de déverrouiller votre compte, sans succès. Il reste verrouillé.'],
      action: { label: 'Vérifier ma protection', url: protectionUrl },
    }),
    panicked: ({ appName, apiKeys, resetUrl, protectionUrl }) => ({
      subject: `Nous avons tout arrêté sur votre compte ${appName}`,
      preheader: 'Tous vos appareils sont déconnectés. Voici la suite.',
      heading: 'Nous avons tout arrêté',
      paragraphs: [
        `Quelqu’un a cliqué sur « Tout arrêter » depuis l’un de nos e‑mails : tous vos appareils sont déconnectés, votre mot de passe ne fonctionne plus, ${apiKeys === 0 ? '' : `${apiKeys === 1 ? 'votre clé d’API est désactivée' : `vos ${apiKeys} clés d’API sont désactivées`}, `}les retraits sont suspendus, et vos moyens de connexion et réglages de sécurité ne peuvent plus être modifiés.`,
      ],
      list: {
        title: 'La suite :',
        items: [
          'Si quelqu’un a changé l’adresse e‑mail de votre compte, ouvrez d’abord le lien d’annulation envoyé à votre ancienne adresse.',
          'Choisissez un nouveau mot de passe. C’est possible même si votre compte est verrouillé.',
          'Connectez-vous, puis vérifiez vos appareils, vos clés d’accès et votre activité.',
          'Dans Paramètres, Protection, déverrouillez votre compte avec une clé d’accès que vous avez depuis plus d’une semaine. Si vous n’en avez pas, demandez le déverrouillage : la page indique le délai.',
        ],
      },
      action: { label: 'Choisir un nouveau mot de passe', url: resetUrl },
      secondAction: { label: 'Vérifier ma protection', url: protectionUrl },
    }),
    'passkey-added': ({ appName, passkey, passkeysUrl, resetUrl }) => ({
      subject: `Vous pouvez maintenant vous connecter à ${appName} avec une clé d’accès`,
      preheader: 'Si ce n’était pas vous, supprimez-la tout de suite.',
      heading: 'Une clé d’accès a été ajoutée à votre compte',
      paragraphs: [
        `Vous pouvez maintenant vous connecter à votre compte ${appName} avec la clé d’accès « ${plainName(passkey)} ». Si c’était vous, vous n’avez rien à faire.`,
        'Si ce n’était pas vous, supprimez-la dans vos paramètres, rubrique Clés d’accès, puis choisissez un nouveau mot de passe : tous vos appareils seront déconnectés.',
      ],
      action: { label: 'Voir mes clés d’accès', url: passkeysUrl },
      secondAction: { label: 'Choisir un nouveau mot de passe', url: resetUrl },
    }),
    'passkey-removed': ({ appName, passkey, passkeysUrl, resetUrl }) => ({
      subject: `Une clé d’accès a été supprimée de votre compte ${appName}`,
      preheader: 'Si ce n’était pas vous, protégez votre compte tout de suite.',
      heading: 'Une clé d’accès a été supprimée',
      paragraphs: [
        `La clé d’accès « ${plainName(passkey)} » ne permet plus de se connecter à votre compte ${appName}. Vos sessions restent ouvertes. Si c’était vous, vous n’avez rien à faire.`,
        'Si ce n’était pas vous, choisissez tout de suite un nouveau mot de passe : tous vos appareils seront déconnectés. Ajoutez ensuite votre clé d’accès de nouveau.',
      ],
      action: { label: 'Voir mes clés d’accès', url: passkeysUrl },
      secondAction: { label: 'Choisir un nouveau mot de passe', url: resetUrl },
    }),
    'passkey-counter': ({ appName, passkey, passkeysUrl, resetUrl }) => ({
      subject: `Nous avons bloqué une clé d’accès de votre compte ${appName}`,
      preheader: 'Il existe peut-être une copie de cette clé.',
      heading: 'Il existe peut-être une copie de votre clé d’accès',
      paragraphs: [
        `Votre clé d’accès ${appName} « ${plainName(passkey)} » vient d’être utilisée d’une façon qui laisse penser qu’elle a été copiée. Nous l’avons refusée.`,
        'Supprimez-la dans vos paramètres, rubrique Clés d’accès, et ajoutez-en une nouvelle. Si ce n’était pas vous, choisissez aussi un nouveau mot de passe.',
      ],
      action: { label: 'Voir mes clés d’accès', url: passkeysUrl },
      secondAction: { label: 'Choisir un nouveau mot de passe', url: resetUrl },
    }),
    'api-key-created': ({ appName, apiKey, organization, mayWithdraw, apiKeysUrl, resetUrl }) => ({
      subject: `Une clé d’API a été créée pour ${keyOwner(organization, appName)}`,
      preheader: 'Si ce n’était pas vous, supprimez-la tout de suite.',
      heading: mayWithdraw ? 'Une clé d’API qui permet les retraits a été créée' : 'Une clé d’API a été créée',
      paragraphs: [
        `Un programme peut maintenant ${actFor(organization, appName)} avec la clé d’API « ${plainName(apiKey)} ». Si vous l’avez créée, vous n’avez rien à faire.`,
        `Si ce n’était pas vous, supprimez-la dans ${keySettings(organization)}, rubrique Clés d’API, puis choisissez un nouveau mot de passe : tous vos appareils seront déconnectés.`,
      ],
      action: { label: seeKeys(organization), url: apiKeysUrl },
      secondAction: { label: 'Choisir un nouveau mot de passe', url: resetUrl },
    }),
    'api-key-changed': ({ appName, apiKey, organization, mayWithdraw, apiKeysUrl, resetUrl }) => ({
      subject: `Une clé d’API de ${keyOwner(organization, appName)} a été modifiée`,
      preheader: 'Si ce n’était pas vous, supprimez-la tout de suite.',
      heading: 'Une clé d’API a été modifiée',
      paragraphs: [
        `La clé d’API « ${plainName(apiKey)} »${ofOrganization(organization)} a plus de droits, fonctionne plus longtemps ou depuis d’autres adresses, ou vient d’être réactivée.${mayWithdraw ? ' Elle permet les retraits.' : ''} Si vous l’avez modifiée, vous n’avez rien à faire.`,
        `Si ce n’était pas vous, supprimez-la dans ${keySettings(organization)}, rubrique Clés d’API, puis choisissez un nouveau mot de passe : tous vos appareils seront déconnectés.`,
      ],
      action: { label: seeKeys(organization), url: apiKeysUrl },
      secondAction: { label: 'Choisir un nouveau mot de passe', url: resetUrl },
    }),
    'api-key-changed-by-another': ({ appName, apiKey, organization, mayWithdraw, actor, apiKeysUrl }) => ({
      subject: `Quelqu’un a modifié votre clé d’API de ${keyOwner(organization, appName)}`,
      preheader: 'Elle a désormais plus de droits ou moins de limites.',
      heading: 'Votre clé d’API a été modifiée',
      paragraphs: [
        `${plainName(actor) || 'Quelqu’un'} a modifié la clé d’API « ${plainName(apiKey)} »${ofOrganization(organization)}, que vous avez créée. Elle a plus de droits, fonctionne plus longtemps ou depuis d’autres adresses, ou vient d’être réactivée.${mayWithdraw ? ' Elle permet les retraits.' : ''}`,
        `Si vous ne vous y attendiez pas, parlez-en à cette personne. Vous pouvez aussi désactiver ou supprimer la clé dans ${keySettings(organization)}, rubrique Clés d’API.`,
      ],
      action: { label: seeKeys(organization), url: apiKeysUrl },
    }),
    'api-key-leaked': ({ appName, apiKey, organization, apiKeysUrl }) => ({
      subject: `Nous avons supprimé une clé d’API de ${keyOwner(organization, appName)}`,
      preheader: 'Quelqu’un a trouvé son secret et nous l’a signalé.',
      heading: 'Une clé d’API a fuité : nous l’avons supprimée',
      paragraphs: [
        `Quelqu’un a trouvé le secret de la clé d’API « ${plainName(apiKey)} »${ofOrganization(organization)} et nous l’a signalé. Nous l’avons supprimée aussitôt : elle ne fonctionne plus.`,
        'Vérifiez les derniers ordres et retraits. Retirez ensuite le secret de l’endroit où il se trouvait, puis créez une nouvelle clé.',
      ],
      action: { label: seeKeys(organization), url: apiKeysUrl },
    }),
    'allow-list-added': ({ appName, usableFrom, allowListUrl, resetUrl, ...address }) => ({
      subject: `Une adresse de retrait a été ajoutée à votre compte ${appName}`,
      preheader: 'Si ce n’était pas vous, supprimez-la tout de suite.',
      heading: 'Une adresse de retrait a été ajoutée',
      paragraphs: [
        `Votre liste d’adresses de retrait en compte une nouvelle. Vous pourrez l’utiliser à partir du ${moment(usableFrom)} UTC. Si vous l’avez ajoutée, vous n’avez rien à faire.`,
        'Si ce n’était pas vous, supprimez-la dans vos paramètres, rubrique Adresses de retrait, puis choisissez un nouveau mot de passe : tous vos appareils seront déconnectés.',
      ],
      ...describeAddress('La nouvelle adresse', address),
      action: { label: 'Voir mes adresses', url: allowListUrl },
      secondAction: { label: 'Choisir un nouveau mot de passe', url: resetUrl },
    }),
    'allow-list-removed': ({ appName, allowListUrl, resetUrl, ...address }) => ({
      subject: `Une adresse de retrait a été supprimée de votre compte ${appName}`,
      preheader: 'Si ce n’était pas vous, choisissez un nouveau mot de passe.',
      heading: 'Une adresse de retrait a été supprimée',
      paragraphs: [
        'L’adresse ci-dessous ne figure plus dans votre liste d’adresses de retrait. Si vous l’avez supprimée, vous n’avez rien à faire.',
        'Si ce n’était pas vous, choisissez un nouveau mot de passe : tous vos appareils seront déconnectés. Ajoutez ensuite de nouveau cette adresse.',
      ],
      ...describeAddress('L’adresse supprimée', address),
      action: { label: 'Voir mes adresses', url: allowListUrl },
      secondAction: { label: 'Choisir un nouveau mot de passe', url: resetUrl },
    }),
    'allow-list-enabled': ({ appName, allowListUrl, resetUrl }) => ({
      subject: `Vos retraits ${appName} ne partent plus que vers vos adresses`,
      preheader: 'Votre liste d’adresses de retrait est activée.',
      heading: 'Votre liste d’adresses de retrait est activée',
      paragraphs: [
        'Désormais, votre argent ne part que vers les adresses de votre liste. Si vous l’avez activée, vous n’avez rien à faire.',
        'Si ce n’était pas vous, choisissez un nouveau mot de passe : tous vos appareils seront déconnectés.',
      ],
      action: { label: 'Voir mes adresses', url: allowListUrl },
      secondAction: { label: 'Choisir un nouveau mot de passe', url: resetUrl },
    }),
    'allow-list-disabling': ({ appName, endsAt, allowListUrl, resetUrl }) => ({
      subject: `Votre liste d’adresses de retrait ${appName} va être désactivée`,
      preheader: 'Si ce n’était pas vous, gardez-la active.',
      heading: 'Votre liste d’adresses de retrait va être désactivée',
      paragraphs: [
        `La liste reste active jusqu’au ${moment(endsAt)} UTC. Ensuite, votre argent pourra partir vers n’importe quelle adresse. Si vous l’avez désactivée, vous n’avez rien à faire.`,
        'Si ce n’était pas vous, gardez-la active dans vos paramètres, rubrique Adresses de retrait, puis choisissez un nouveau mot de passe : tous vos appareils seront déconnectés.',
      ],
      action: { label: 'Garder la liste active', url: allowListUrl },
      secondAction: { label: 'Choisir un nouveau mot de passe', url: resetUrl },
    }),
    'organization-invitation': ({ appName, inviter, organization, role, address, url, hours }) => ({
      subject: `Invitation à rejoindre ${plainName(organization)} sur ${appName}`,
      preheader: `Cette invitation est valable ${duration.hours(hours)}.`,
      heading: `Rejoignez ${plainName(organization)}`,
      paragraphs: [
        `${plainName(inviter) || 'Quelqu’un'} vous invite à rejoindre l’organisation « ${plainName(organization)} » sur ${appName} avec le rôle ${as[role]}.`,
        `L’invitation est destinée à ${address}. Connectez-vous ou inscrivez-vous avec cette adresse pour l’accepter.`,
      ],
      action: { label: 'Voir l’invitation', url },
      footnote: `Ce lien est valable ${duration.hours(hours)} et ne sert qu’une fois. Si vous ne connaissez pas cette personne, ignorez cet e‑mail : rien ne se passera sans votre accord.`,
    }),
    'webhook-paused': ({ appName, webhook, host, reason }) => ({
      subject: `${appName} n’envoie plus d’événements à ${host}`,
      preheader: 'Le webhook est en pause. Vos événements sont conservés 30 jours.',
      heading: 'Votre webhook est en pause',
      paragraphs: [
        reason === 'gone'
          ? `${host} a répondu qu’il n’accepte plus d’événements (code HTTP 410).`
          : `Tous les envois d’événements à ${host} échouent depuis trois jours.`,
        `Le webhook ${webhook} reste en pause jusqu’à ce que l’équipe ${appName} le réactive. Les événements sont conservés 30 jours : l’équipe pourra vous renvoyer ceux que vous avez manqués.`,
        `Vérifiez que votre serveur répond avec un code HTTP compris entre 200 et 299 en moins de dix secondes. Contactez ensuite l’équipe ${appName} pour réactiver le webhook.`,
      ],
      needsSupport: true,
    }),
    'member-added': ({ appName, actor, organization, organizationsUrl }) => ({
      subject: `Vous faites maintenant partie de ${plainName(organization)} sur ${appName}`,
      preheader: 'Acceptez pour garder votre place, ou quittez l’organisation.',
      heading: `Vous faites maintenant partie de ${plainName(organization)}`,
      paragraphs: [
        `${plainName(actor) || 'Quelqu’un'} a ajouté votre compte ${appName} à l’organisation « ${plainName(organization)} ». Ses membres voient votre nom et votre adresse e‑mail.`,
        'Acceptez dans vos paramètres pour garder votre place, ou quittez l’organisation.',
      ],
      action: { label: 'Accepter ou quitter', url: organizationsUrl },
    }),
    'role-given': ({ appName, email, role, actor, organization, days, organizationsUrl }) => ({
      subject: `Quelqu’un a maintenant le rôle ${as[role]} dans ${plainName(organization)} sur ${appName}`,
      preheader: `Pendant ${duration.days(days)}, cette personne ne peut rien retirer pour l’organisation.`,
      heading: `Quelqu’un a maintenant le rôle ${as[role]} dans ${plainName(organization)}`,
      paragraphs: [
        `${plainName(actor) || 'Quelqu’un'} a donné à ${email} le rôle ${as[role]} dans l’organisation « ${plainName(organization)} ».`,
        `Pendant les ${duration.days(days)} qui suivent, cette personne ne peut rien retirer pour l’organisation. Si c’est une erreur, excluez-la ou annulez son invitation.`,
      ],
      action: { label: 'Voir les membres', url: organizationsUrl },
    }),
    'organization-suspension': ({ appName, organization, isSuspended, organizationsUrl }) => ({
      subject: `${plainName(organization)} sur ${appName} ${isSuspended ? 'est suspendue' : 'n’est plus suspendue'}`,
      preheader: 'Si vous pensez qu’il s’agit d’une erreur, contactez notre équipe.',
      heading: `${plainName(organization)} ${isSuspended ? 'est suspendue' : 'n’est plus suspendue'}`,
      paragraphs: [
        isSuspended
          ? `Notre équipe a suspendu l’organisation « ${plainName(organization)} » sur ${appName}. Ses membres ne peuvent plus agir en son nom, et ses clés d’API ne fonctionnent plus.`
          : `Notre équipe a levé la suspension de l’organisation « ${plainName(organization)} » sur ${appName}. Ses membres peuvent de nouveau agir en son nom, et ses clés d’API fonctionnent.`,
        'Si vous pensez qu’il s’agit d’une erreur, contactez notre équipe.',
      ],
      action: { label: 'Voir mes organisations', url: organizationsUrl },
    }),
    'organization-owner-changed': ({ appName, email, organization, isOwner, organizationsUrl }) => ({
      subject: isOwner
        ? `Vous êtes maintenant propriétaire de ${plainName(organization)} sur ${appName}`
        : `Vous n’êtes plus propriétaire de ${plainName(organization)} sur ${appName}`,
      preheader: 'Si vous ne vous y attendiez pas, dites-le-nous.',
      heading: `${plainName(organization)} change de propriétaire`,
      paragraphs: [
        isOwner
          ? `Notre assistance vous a donné le rôle de propriétaire dans l’organisation « ${plainName(organization)} » sur ${appName}.`
          : `Notre assistance a donné à ${email} le rôle de propriétaire dans l’organisation « ${plainName(organization)} » sur ${appName}. Vous y avez maintenant le rôle d’administrateur.`,
        'Si vous ne vous y attendiez pas, dites-le-nous.',
      ],
      action: { label: 'Voir mes organisations', url: organizationsUrl },
    }),
    'administrator-role': ({ appName, role, securityUrl }) => ({
      subject: role
        ? `Vous faites maintenant partie de l’administration de ${appName}`
        : `Vous ne faites plus partie de l’administration de ${appName}`,
      preheader: 'Si vous ne vous y attendiez pas, prévenez votre équipe.',
      heading: role ? 'Vous avez un rôle d’administration' : 'Vous n’avez plus de rôle d’administration',
      paragraphs: [
        role
          ? `Votre compte ${appName} a maintenant le rôle « ${role} ». Pour ouvrir l’administration pendant 15 minutes, vous confirmez que c’est bien vous avec votre clé d’accès, ou avec un code si vous n’en avez pas.`
          : `Votre compte ${appName} n’a plus de rôle d’administration. Rien d’autre ne change pour votre compte.`,
        'Si vous ne vous y attendiez pas, prévenez les personnes qui gèrent le service.',
      ],
      action: { label: 'Voir vos paramètres de sécurité', url: securityUrl },
    }),
    'support-act': ({ appName, act, until, resetUrl }) => {
      const ends = until ? ` jusqu’au ${moment(until)} UTC` : ''
      const write = {
        suspended: {
          subject: `Votre compte ${appName} est suspendu`,
          heading: 'Votre compte est suspendu',
          paragraph: `Notre équipe a suspendu votre compte ${appName}${ends}. Vous êtes déconnecté partout et ne pouvez plus vous connecter. Vos clés d’API ne fonctionnent plus non plus.`,
          hint: 'Si vous pensez qu’il s’agit d’une erreur, contactez notre équipe.',
        },
        restored: {
          subject: `Votre compte ${appName} n’est plus suspendu`,
          heading: 'Votre compte n’est plus suspendu',
          paragraph: `Notre équipe a levé la suspension de votre compte ${appName}. Vous pouvez vous connecter comme avant.`,
          hint: 'Si quelqu’un d’autre connaît peut-être votre mot de passe, choisissez-en un nouveau maintenant.',
        },
        updated: {
          subject: `Notre équipe a modifié votre profil ${appName}`,
          heading: 'Votre profil a été modifié',
          paragraph: `Notre équipe a modifié votre profil ${appName}. Votre activité indique ce qui a changé.`,
          hint: 'Si vous n’avez rien demandé, contactez notre équipe.',
        },
        'api-key-deleted': {
          subject: `Notre équipe a supprimé une clé d’API de votre compte ${appName}`,
          heading: 'Une de vos clés d’API a été supprimée',
          paragraph: `Notre équipe a supprimé une clé d’API de votre compte ${appName}. Elle ne fonctionne plus. Votre activité indique laquelle.`,
          hint: 'Si vous en avez encore besoin, créez-en une nouvelle.',
        },
        'password-set': {
          subject: `Notre équipe a changé le mot de passe de votre compte ${appName}`,
          heading: 'Vous avez un nouveau mot de passe',
          paragraph: `Notre équipe a changé le mot de passe de votre compte ${appName}. Vous êtes déconnecté partout.`,
          hint: 'Choisissez maintenant un mot de passe que vous seul connaissez.',
        },
      }[act]
      return {
        subject: write.subject,
        preheader: write.hint,
        heading: write.heading,
        paragraphs: [write.paragraph, write.hint],
        ...(resetUrl !== null && { action: { label: 'Choisir un nouveau mot de passe', url: resetUrl } }),
      }
    },
    'approval-requested': ({ appName, act, role, requester, email, userUrl, hours }) => ({
      subject: `Administration de ${appName} : votre accord est demandé`,
      preheader: `La demande expire dans ${duration.hours(hours)}.`,
      heading: 'Votre accord est demandé',
      paragraphs: [
        `${shortenAddress(requester)} souhaite ${
          {
            'set-role': role === 'user' ? 'retirer son rôle à' : `donner le rôle « ${role} » à`,
            'restore-user': 'lever la suspension de',
            'remove-user': 'supprimer définitivement le compte de',
            'disable-two-factor': 'désactiver la double authentification de',
          }[act]
        } ${shortenAddress(email)}. Cette action demande l’accord d’un autre membre de l’équipe d’administration.`,
        'Lisez le motif sur la page de cette personne. Vous pouvez y donner votre accord ou refuser.',
      ],
      action: { label: 'Voir la demande', url: userUrl },
      footnote: `La demande expire dans ${duration.hours(hours)}. Si vous n’êtes pas au courant, parlez-en d’abord à ${shortenAddress(requester)}.`,
    }),
    impersonated: ({ appName, reason, from, until, sessionsUrl }) => ({
      subject: `L’administration de ${appName} a ouvert votre compte`,
      preheader: 'Consultation seule : rien ne peut être modifié.',
      heading: 'L’administration a ouvert votre compte',
      paragraphs: [
        `Le ${moment(from)} UTC, un membre de l’équipe d’administration de ${appName} a ouvert votre compte pour voir ce que vous voyez. Motif indiqué : « ${oneLine(reason)} »`,
        `La consultation prend fin le ${moment(until)} UTC au plus tard. Elle ne permet de rien modifier ni de rien confirmer, et ne montre ni vos mots de passe, ni vos clés, ni vos codes, ni votre phrase.`,
        `Vous pouvez mettre fin à cette session à tout moment dans la liste de vos sessions. Si ce motif vous surprend, contactez l’équipe ${appName}.`,
      ],
      action: { label: 'Voir mes sessions', url: sessionsUrl },
      needsSupport: true,
    }),
    'member-removed': ({ appName, organization, organizationsUrl }) => ({
      subject: `Vous n’êtes plus membre de ${plainName(organization)} sur ${appName}`,
      preheader: 'Rien d’autre ne change pour votre compte.',
      heading: `Vous n’êtes plus membre de ${plainName(organization)}`,
      paragraphs: [
        `Vous n’êtes plus membre de l’organisation « ${plainName(organization)} » sur ${appName}. Rien d’autre ne change pour votre compte.`,
      ],
      action: { label: 'Voir mes organisations', url: organizationsUrl },
    }),
    'membership-dropped': ({ appName, organization, most, organizationsUrl }) => ({
      subject: `Vous ne faites plus partie de ${plainName(organization)} sur ${appName}`,
      preheader: 'Vous n’aviez pas accepté, et vous avez atteint votre limite.',
      heading: `Vous n’êtes plus membre de ${plainName(organization)}`,
      paragraphs: [
        `Vous pouvez appartenir à ${most} organisations au plus, et vous venez d’en rejoindre une autre. Vous n’aviez pas encore accepté « ${plainName(organization)} » : vous n’en faites plus partie.`,
        'Pour revenir, demandez une invitation à ses membres.',
      ],
      action: { label: 'Voir mes organisations', url: organizationsUrl },
    }),
    'two-factor-enabled': ({ appName, securityUrl, resetUrl }) => ({
      subject: `Double authentification activée sur votre compte ${appName}`,
      preheader: 'Votre mot de passe ne suffit plus pour vous connecter.',
      heading: 'La double authentification est activée',
      paragraphs: [
        `Pour vous connecter à votre compte ${appName}, il vous faut désormais un second facteur : une clé d’accès, un code de votre application d’authentification ou l’un de vos codes de secours. Vos autres appareils ont été déconnectés.`,
        'Gardez vos codes de secours à un endroit accessible sans votre téléphone.',
        `Si ce n’était pas vous, choisissez tout de suite un nouveau mot de passe : tous vos appareils seront déconnectés. Contactez ensuite l’équipe ${appName} : ce second facteur n’est pas le vôtre, et vous ne pourrez pas vous connecter sans son aide.`,
      ],
      action: { label: 'Voir la double authentification', url: securityUrl },
      secondAction: { label: 'Ce n’était pas moi', url: resetUrl },
      needsSupport: true,
    }),
    'authenticator-added': ({ appName, securityUrl, resetUrl }) => ({
      subject: `Application d’authentification ajoutée à votre compte ${appName}`,
      preheader: 'Si ce n’était pas vous, choisissez tout de suite un nouveau mot de passe.',
      heading: 'Une application d’authentification a été ajoutée',
      paragraphs: [
        `Vous pouvez maintenant confirmer vos connexions à votre compte ${appName} avec les codes d’une application d’authentification. Vos clés d’accès et vos codes de secours fonctionnent toujours. Si c’était vous, vous n’avez rien à faire.`,
        'Si ce n’était pas vous, choisissez tout de suite un nouveau mot de passe : tous vos appareils seront déconnectés. Connectez-vous ensuite avec votre clé d’accès ou un code de secours, puis désactivez et réactivez la double authentification : l’application sera retirée.',
      ],
      action: { label: 'Voir la double authentification', url: securityUrl },
      secondAction: { label: 'Ce n’était pas moi', url: resetUrl },
    }),
    'two-factor-disabled': ({ appName, resetUrl }) => ({
      subject: `Double authentification désactivée sur votre compte ${appName}`,
      preheader: 'Si ce n’était pas vous, choisissez tout de suite un nouveau mot de passe.',
      heading: 'La double authentification est désactivée',
      paragraphs: [
        `La double authentification de votre compte ${appName} vient d’être désactivée. Vos codes de secours et vos appareils de confiance ont été supprimés. Si c’était vous, vous n’avez rien à faire.`,
        'Si ce n’était pas vous, choisissez tout de suite un nouveau mot de passe : tous vos appareils seront déconnectés. Réactivez ensuite la double authentification.',
      ],
      action: { label: 'Ce n’était pas moi', url: resetUrl },
    }),
    'two-factor-locked': ({ appName, minutes, trustedDevices, resetUrl }) => ({
      subject: `Trop de codes incorrects pour votre compte ${appName}`,
      preheader: 'Si ce n’était pas vous, quelqu’un connaît peut-être votre mot de passe.',
      heading: 'Trop de codes incorrects',
      paragraphs: [
        `Trop de codes incorrects ont été saisis pour votre compte ${appName}. Les codes sont bloqués pendant ${duration.minutes(minutes)}.${trustedDevices ? ' Vos appareils de confiance fonctionnent toujours.' : ''}`,
        'Si ce n’était pas vous, choisissez tout de suite un nouveau mot de passe : quelqu’un connaît peut-être l’actuel.',
      ],
      action: { label: 'Ce n’était pas moi', url: resetUrl },
    }),
    'backup-codes-replaced': ({ appName, resetUrl }) => ({
      subject: `Votre compte ${appName} a de nouveaux codes de secours`,
      preheader: 'Les anciens ne fonctionnent plus.',
      heading: 'Vos codes de secours ont été remplacés',
      paragraphs: [
        `De nouveaux codes de secours ont été créés pour votre compte ${appName}, et les anciens ne fonctionnent plus. Si c’était vous, vous n’avez rien à faire.`,
        'Si ce n’était pas vous, choisissez tout de suite un nouveau mot de passe : tous vos appareils seront déconnectés. Créez ensuite de nouveaux codes de secours.',
      ],
      action: { label: 'Ce n’était pas moi', url: resetUrl },
    }),
    'backup-code-used': ({ appName, left, securityUrl }) => ({
      subject: `Un code de secours de votre compte ${appName} a été utilisé`,
      preheader: `Codes restants : ${left}.`,
      heading: 'Un code de secours a été utilisé',
      paragraphs: [
        `L’un de vos codes de secours ${appName} vient d’être utilisé et ne fonctionne plus. Codes restants : ${left}.`,
        'S’il en reste peu, créez-en de nouveaux dans vos paramètres. Si ce n’était pas vous, choisissez tout de suite un nouveau mot de passe, puis créez de nouveaux codes.',
      ],
      action: { label: 'Voir la double authentification', url: securityUrl },
    }),
  },
}

/** A space that must not break the line before : ; ? ! and inside « »: a narrow one before ; ? and !. */
function typeset(text: string): string {
  return text
    .replace(/ ([;?!])/g, '\u202f$1')
    .replace(/ ([:»])/g, '\u00a0$1')
    .replace(/« /g, '«\u00a0')
}
