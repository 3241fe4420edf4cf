import { type AllowedAddress, bulletList, durationIn, type MailTexts, momentIn } from '../mail-texts.ts'
import { maskAddress, oneLine, plainName, shortenAddress } from '../plain-words.ts'

const duration = durationIn('en')

const moment = momentIn('en-GB')

const describeAddress = (title: string, { kind, value, label }: AllowedAddress) =>
  bulletList(title, [label !== '' && `Name: ${plainName(label)}`, `Kind: ${kind}`, `Address: ${shortenAddress(value)}`])

const as = { owner: 'an owner', admin: 'an administrator', member: 'a member' }

type KeyOwner = string | null

const keyOwner = (organization: KeyOwner, appName: string) =>
  organization === null ? `your ${appName} account` : `${plainName(organization)} on ${appName}`
const actFor = (organization: KeyOwner, appName: string) =>
  organization === null ? `use your ${appName} account` : `act for the organization “${plainName(organization)}” on ${appName}`
const ofOrganization = (organization: KeyOwner) =>
  organization === null ? '' : ` of the organization “${plainName(organization)}”`
const keySettings = (organization: KeyOwner) => (organization === null ? 'your settings' : 'the settings of the organization')
const seeKeys = (organization: KeyOwner) => (organization === null ? 'See my API keys' : 'See the API keys')

export const mails: MailTexts = {
  greeting: (name) => (name ? `Hello ${name},` : 'Hello,'),
  support: 'Contact support',
  phrase: (phrase) => `Your phrase: ${phrase}`,
  held: (until) => `To keep your money safe, withdrawals are on hold until ${moment(until)} UTC.`,
  panic: {
    text: 'Not you? One press signs out every device, disables your API keys and stops withdrawals:',
    label: 'Stop everything',
  },
  copyLink: 'If the button doesn’t work, copy this link into your browser:',
  linkLabel: (label) => `${label}:`,

  reasons: {
    'sign-up': (appName) => `We sent this because your email was used to sign up for ${appName}.`,
    request: (appName) => `We sent this because your email was entered on ${appName}.`,
    'account-request': (appName) => `We sent this because it was requested from your ${appName} account.`,
    security: (appName) => `We sent this because it concerns the security of your ${appName} account.`,
    'former-email': (appName) => `We sent this because a ${appName} account used your email until now.`,
    invitation: (appName) => `We sent this because an organization invited you to ${appName}.`,
    membership: (appName) => `We sent this because your membership in an organization on ${appName} changed.`,
    webhook: (appName) => `We sent this because you are the contact of a webhook of ${appName}.`,
    administration: (appName) => `We sent this because you are an administrator of ${appName}.`,
    support: (appName) => `We sent this because our team acted on your ${appName} account or on your organization.`,
    farewell: (appName) => `We sent this because your email belonged to a ${appName} account.`,
  },
  contents: {
    'verify-email': ({ appName, url, hours }) => ({
      subject: `Confirm your email for ${appName}`,
      preheader: `One click and you can sign in. This link expires in ${duration.hours(hours)}.`,
      heading: 'Confirm your email',
      paragraphs: [
        `Thanks for signing up for ${appName}. Confirm that this email address is yours, and you’re ready to sign in.`,
      ],
      action: { label: 'Confirm my email', url },
      footnote: `This link expires in ${duration.hours(hours)}. If you didn’t sign up, you don’t need to do anything: the account stays closed until your email is confirmed.`,
    }),
    'create-passkey': ({ appName, url, hours }) => ({
      subject: `Create your passkey for ${appName}`,
      preheader: `Your passkey opens your account. This link expires in ${duration.hours(hours)}.`,
      heading: 'Create your passkey',
      paragraphs: [
        `Thanks for signing up for ${appName}. Open this link on the device that you want to sign in with. Creating your passkey also confirms your email.`,
      ],
      action: { label: 'Create my passkey', url },
      footnote: `This link expires in ${duration.hours(hours)}. If you didn’t sign up, you don’t need to do anything: the account stays closed until a passkey is created.`,
    }),
    'already-registered': ({ appName, signInUrl, resetUrl }) => ({
      subject: `You already have a ${appName} account`,
      preheader: 'Someone tried to sign up with your email. Nothing has changed.',
      heading: 'You already have an account',
      paragraphs: [
        `Someone, probably you, just tried to sign up for ${appName} with this email address. You already have an account, so nothing was created or changed.`,
        'If this was you, sign in. If you forgot your password, choose a new one.',
      ],
      action: { label: 'Sign in', url: signInUrl },
      secondAction: { label: 'Choose a new password', url: resetUrl },
      footnote: 'If this wasn’t you, you can ignore this email. We didn’t reveal that you have an account.',
    }),
    'reset-password': ({ appName, url, minutes }) => ({
      subject: `Choose a new password for ${appName}`,
      preheader: `This link expires in ${duration.minutes(minutes)}.`,
      heading: 'Choose a new password',
      paragraphs: [`Someone, probably you, asked to reset the password of your ${appName} account.`],
      action: { label: 'Choose a new password', url },
      footnote: `This link works once and expires in ${duration.minutes(minutes)}. If you didn’t ask for it, ignore this email: your password stays the same.`,
    }),
    'password-changed': ({ appName, byReset, resetUrl, apiKeysUrl }) => ({
      subject: `Your ${appName} password was changed`,
      preheader: 'If this was you, you can ignore this email.',
      heading: 'Your password was changed',
      paragraphs: [
        `The password of your ${appName} account was just changed, and ${byReset ? 'every device was' : 'your other devices were'} signed out. If this was you, you can ignore this email.`,
        'If this wasn’t you, choose a new password now. That signs out every device.',
        ...(apiKeysUrl === null
          ? []
          : ['Your API keys keep working. If you don’t recognize one, delete it under API keys in your settings.']),
      ],
      action: { label: 'This wasn’t me', url: resetUrl },
      ...(apiKeysUrl !== null && { secondAction: { label: 'See my API keys', url: apiKeysUrl } }),
    }),
    'password-cleared': ({ appName, url, minutes }) => ({
      subject: `Your ${appName} account needs a new password`,
      preheader: 'We removed the old one so that no one else can use it.',
      heading: 'Choose a new password',
      paragraphs: [
        `To keep others out of your ${appName} account, we removed its password and signed everyone out. Choose a new one to get back in.`,
      ],
      action: { label: 'Choose a new password', url },
      footnote: `This link works once and expires in ${duration.minutes(minutes)}. You can request another on the sign-in page.`,
    }),
    'password-paused': ({ appName, deviceKind, resetUrl }) => ({
      subject: `Someone is trying to guess your ${appName} password`,
      preheader:
        deviceKind === 'known' ? 'The attempts came from one of your devices or sessions.' : 'Your own devices still work.',
      heading: 'Too many wrong passwords',
      paragraphs:
        deviceKind === 'known'
          ? [
              `Someone entered many wrong passwords for your ${appName} account on one of your devices or in an open session. Your settings won’t accept a password until you sign in again.`,
              'If this wasn’t you, choose a new password. Then sign out everywhere under Devices and sessions: that device counts as new afterwards.',
            ]
          : [
              `Someone entered so many wrong passwords for your ${appName} account that your password no longer works on new devices. Devices you’ve signed in on before still work.`,
              'To sign in on a new device, choose a new password first.',
            ],
      action: { label: 'Choose a new password', url: resetUrl },
    }),
    'password-set': ({ appName, resetUrl }) => ({
      subject: `Your ${appName} account now has a password`,
      preheader: 'If this was you, you can ignore this email.',
      heading: 'Your account now has a password',
      paragraphs: [
        `A password was just added to your ${appName} account. You can sign in with it and your email, or the way you did before.`,
        'If this wasn’t you, choose a new password now. That signs out every device.',
      ],
      action: { label: 'This wasn’t me', url: resetUrl },
    }),
    'change-email-confirm': ({ appName, account, url, hours }) => ({
      subject: `Confirm your new email for ${appName}`,
      preheader: `Nothing changes until you confirm. This link expires in ${duration.hours(hours)}.`,
      heading: 'Confirm your new email',
      paragraphs: [
        `Someone, probably you, asked to use this email address for the ${appName} account ${maskAddress(account)}. Once you confirm, you’ll sign in with it. Confirm only if the account is yours.`,
      ],
      action: { label: 'Use this address', url },
      footnote: `This link works once and expires in ${duration.hours(hours)}. If you didn’t ask for this, ignore this email: nothing will change.`,
    }),
    'email-change-requested': ({ appName, newEmail, resetUrl }) => ({
      subject: `Someone requested an email change on your ${appName} account`,
      preheader: 'Nothing has changed yet.',
      heading: 'Email change requested',
      paragraphs: [
        `Someone, probably you, asked to change the email of your ${appName} account to ${maskAddress(newEmail)}. Nothing changes until the new email is confirmed. If this was you, you can ignore this email.`,
        'If this wasn’t you, someone may be signed in to your account. Choose a new password now. That signs out every device.',
      ],
      action: { label: 'This wasn’t me', url: resetUrl },
    }),
    'email-changed': ({ appName, newEmail, cause, undoUrl, days }) => ({
      subject: `The email of your ${appName} account was changed`,
      preheader:
        undoUrl === null
          ? 'Your account no longer uses this email address.'
          : `If this wasn’t you, you can undo it for ${duration.days(days)}.`,
      heading: 'Your email was changed',
      paragraphs: [
        `Your ${appName} account now uses ${maskAddress(newEmail)}. You can no longer sign in with this email address. If this was you, you don’t need to do anything.`,
        cause === 'undo'
          ? `An undo link that we sent to an earlier email of the account did this. If it wasn’t you, contact the ${appName} team.`
          : undoUrl === null
            ? `The account changed its email before, less than ${duration.days(days)} ago. If this wasn’t you, open the undo link in your earlier mailbox: it undoes both changes.`
            : 'If this wasn’t you, undo the change. That restores this email address and signs out every device.',
      ],
      ...(undoUrl !== null && {
        action: { label: 'Undo the change', url: undoUrl },
        footnote: `This link works once and expires in ${duration.days(days)}.`,
      }),
      needsSupport: cause === 'undo',
    }),
    'email-change-undone': ({ appName, url, minutes, securityUrl, effects }) => ({
      subject: `Your ${appName} account is back. Choose a new password`,
      preheader: 'The email change was undone. Choose a new password to sign in.',
      heading: 'Your email change was undone',
      paragraphs: ['Your account uses this email address again. We signed everyone out. Choose a new password to sign in.'],
      ...bulletList('We also did this:', [
        effects.passwordRemoved && 'Removed the password.',
        ...effects.unlinkedProviders.map((name) => `Unlinked ${plainName(name)}. You can link it again.`),
        effects.twoFactor === 'removed' &&
          'Turned off two-factor authentication, since it was turned on recently. Set it up again.',
        effects.twoFactor === 'restored' &&
          'Turned your earlier two-factor authentication on again. Use the passkey or app you had before.',
        effects.backupCodesRemoved && 'Removed the backup codes that were created recently. Create new ones.',
        effects.passkeysRemoved > 0 && 'Removed the passkeys that were added recently. Add yours again.',
        effects.addressesRemoved > 0 && 'Removed the withdrawal addresses that were added recently. Add yours again.',
        effects.apiKeysRemoved > 0 && 'Deleted the API keys that were created or changed recently. Create yours again.',
        effects.trustedDevices > 0 && 'Stopped trusting your devices. Each one needs a second factor again.',
        effects.invitations > 0 && 'Canceled the pending invitations you sent. Send them again if you need to.',
        effects.tradingDisabled && 'Turned off trading. Turn it on again when you are ready.',
        effects.riskLevelLowered && 'Set your risk level to the lowest.',
        effects.profileRestored && 'Restored your earlier name and picture.',
      ]),
      action: { label: 'Choose a new password', url },
      ...(effects.twoFactor === 'removed' && {
        secondAction: { label: 'Set up two-factor authentication again', url: securityUrl },
      }),
      footnote: `This link works once and expires in ${duration.minutes(minutes)}. You can request another on the sign-in page.`,
    }),
    'delete-account': ({ appName, url, minutes }) => ({
      subject: `Confirm that you want to delete your ${appName} account`,
      preheader: `Nothing is deleted until you confirm. This link expires in ${duration.minutes(minutes)}.`,
      heading: 'Delete your account?',
      paragraphs: [
        `You asked to delete your ${appName} account. Once you confirm, we delete it with all its data. This can’t be undone.`,
      ],
      action: { label: 'Delete my account', url },
      footnote: `This link works once and expires in ${duration.minutes(minutes)}. If you didn’t ask for this, don’t open it. Sign in and change your password: someone may be signed in to your account.`,
    }),
    reauthenticate: ({ appName, url, minutes }) => ({
      subject: `Confirm it’s you on ${appName}`,
      preheader: `This link expires in ${duration.minutes(minutes)}.`,
      heading: 'Confirm it’s you',
      paragraphs: ['Open this link in the browser where you’re signed in. You can then finish the change you started.'],
      action: { label: 'Confirm it’s me', url },
      footnote: `This link works once and expires in ${duration.minutes(minutes)}. If you didn’t ask for it, don’t open it: someone may be signed in to your account. Sign in, then sign out all other devices.`,
    }),
    'account-linked': ({ appName, provider, accountsUrl }) => ({
      subject: `You can now sign in to ${appName} with ${provider}`,
      preheader: 'If this wasn’t you, unlink it now.',
      heading: `${provider} was linked to your account`,
      paragraphs: [
        `A ${provider} account was linked to your ${appName} account, and you can now sign in with it. If this was you, you can ignore this email.`,
        'If this wasn’t you, unlink it now and choose a new password.',
      ],
      action: { label: 'See linked accounts', url: accountsUrl },
    }),
    'account-unlinked': ({ appName, provider, resetUrl }) => {
      const what = provider ? `${provider} was unlinked` : 'The password was removed'
      return {
        subject: `${what} from your ${appName} account`,
        preheader: 'If this wasn’t you, choose a new password now.',
        heading: `${what} from your account`,
        paragraphs: [
          `You can no longer sign in to your ${appName} account with ${provider ?? 'a password'}. If this was you, you can ignore this email.`,
          'If this wasn’t you, choose a new password now. That signs out every device.',
        ],
        action: { label: 'Choose a new password', url: resetUrl },
      }
    },
    'account-deleted': ({ appName }) => ({
      subject: `Your ${appName} account was deleted`,
      preheader: 'All its data was deleted too.',
      heading: 'Your account was deleted',
      paragraphs: [`Your ${appName} account and all its data have been deleted.`],
      footnote: `This is the last email about this account. If you didn’t delete it, contact the ${appName} team right away.`,
      needsSupport: true,
    }),
    'phrase-changed': ({ appName, protectionUrl }) => ({
      subject: `The phrase in your ${appName} emails was changed`,
      preheader: 'If this was you, you can ignore this email.',
      heading: 'Your phrase was changed',
      paragraphs: ['The phrase in our emails was just changed or removed. If you had one before, this email still shows it.'],
      action: { label: 'Check my protection', url: protectionUrl },
    }),
    'hold-lifted': ({ appName, protectionUrl }) => ({
      subject: `A hold on your ${appName} withdrawals was ended early`,
      preheader: 'One of your passkeys ended it.',
      heading: 'A hold was ended early',
      paragraphs: ['Someone, probably you, ended a hold on withdrawals with one of your passkeys.'],
      action: { label: 'Check my protection', url: protectionUrl },
    }),
    'account-locked': ({ appName, days, protectionUrl }) => ({
      subject: `Your ${appName} account is locked`,
      preheader: 'No one can change its security now, not even you.',
      heading: 'Your account is locked',
      paragraphs: [
        'While the lock is on, your password, your email and your passkeys can’t be changed, no API key can be created or get more permissions, and no money can leave.',
        `You can still sign in and trade. Unlocking takes ${duration.days(days)}. With your lock key and a passkey, you can unlock at once.`,
      ],
      action: { label: 'Check my protection', url: protectionUrl },
    }),
    'unlock-requested': ({ appName, until, byOperator, protectionUrl }) => ({
      subject: `Your ${appName} account will be unlocked`,
      preheader: `The lock ends on ${moment(until)} UTC.`,
      heading: 'Your account will be unlocked',
      paragraphs: [
        `${byOperator ? 'Our team' : 'Someone, probably you,'} asked to unlock your account. The lock ends on ${moment(until)} UTC.`,
        'If you don’t want this, open this page and choose “Keep locked”.',
      ],
      action: { label: 'Check my protection', url: protectionUrl },
    }),
    'unlock-canceled': ({ appName, protectionUrl }) => ({
      subject: `Your ${appName} account stays locked`,
      preheader: 'The request to unlock it was canceled.',
      heading: 'Your account stays locked',
      paragraphs: ['Someone, probably you, canceled the request to unlock your account.'],
      action: { label: 'Check my protection', url: protectionUrl },
    }),
    'account-unlocked': ({ appName, by, protectionUrl }) => ({
      subject: `Your ${appName} account is unlocked`,
      preheader: 'If this was you, you can ignore this email.',
      heading: 'Your account is unlocked',
      paragraphs: [
        by === 'key'
          ? 'Your account was just unlocked with your lock key and a passkey.'
          : 'Someone, probably you, used one of your passkeys to undo “Stop everything”. Your API keys stay disabled until you enable them.',
      ],
      action: { label: 'Check my protection', url: protectionUrl },
    }),
    'unlock-refused': ({ appName, protectionUrl }) => ({
      subject: `Someone tried to unlock your ${appName} account`,
      preheader: 'It stays locked.',
      heading: 'Someone tried to unlock your account',
      paragraphs: ['Someone tried to unlock your account and failed. It stays locked.'],
      action: { label: 'Check my protection', url: protectionUrl },
    }),
    panicked: ({ appName, apiKeys, resetUrl, protectionUrl }) => ({
      subject: `We stopped everything on your ${appName} account`,
      preheader: 'Every device is signed out. Here is what to do next.',
      heading: 'We stopped everything',
      paragraphs: [
        `Someone opened the link in one of our emails and pressed “Stop everything”. Every device is signed out, your password no longer works, ${apiKeys === 0 ? '' : `${apiKeys === 1 ? 'your API key is' : `your ${apiKeys} API keys are`} disabled, `}withdrawals are on hold, and your sign-in and security settings can’t be changed.`,
      ],
      list: {
        title: 'What to do next:',
        items: [
          'If someone changed the email of your account, first open the undo link that we sent to your former address.',
          'Choose a new password. You can do this while your account is locked.',
          'Sign in, and look at your devices, passkeys and activity.',
          'Under Settings, Protection, unlock your account with a passkey that you’ve had for more than a week. Without one, ask to unlock: the page says how long it takes.',
        ],
      },
      action: { label: 'Choose a new password', url: resetUrl },
      secondAction: { label: 'Check my protection', url: protectionUrl },
    }),
    'passkey-added': ({ appName, passkey, passkeysUrl, resetUrl }) => ({
      subject: `You can now sign in to ${appName} with a passkey`,
      preheader: 'If this wasn’t you, remove it now.',
      heading: 'A passkey was added to your account',
      paragraphs: [
        `You can now sign in to your ${appName} account with the passkey “${plainName(passkey)}”. If this was you, you can ignore this email.`,
        'If this wasn’t you, remove it under Passkeys in your settings, then choose a new password. That signs out every device.',
      ],
      action: { label: 'See my passkeys', url: passkeysUrl },
      secondAction: { label: 'Choose a new password', url: resetUrl },
    }),
    'passkey-removed': ({ appName, passkey, passkeysUrl, resetUrl }) => ({
      subject: `A passkey was removed from your ${appName} account`,
      preheader: 'If this wasn’t you, protect your account now.',
      heading: 'A passkey was removed from your account',
      paragraphs: [
        `The passkey “${plainName(passkey)}” no longer signs you in to your ${appName} account. You stay signed in on your devices. If this was you, you can ignore this email.`,
        'If this wasn’t you, choose a new password now. That signs out every device. Then add your passkey again.',
      ],
      action: { label: 'See my passkeys', url: passkeysUrl },
      secondAction: { label: 'Choose a new password', url: resetUrl },
    }),
    'passkey-counter': ({ appName, passkey, passkeysUrl, resetUrl }) => ({
      subject: `We blocked a passkey on your ${appName} account`,
      preheader: 'There may be a copy of this passkey.',
      heading: 'There may be a copy of your passkey',
      paragraphs: [
        `Your ${appName} passkey “${plainName(passkey)}” was just used in a way that suggests it was copied. We refused it.`,
        'Remove this passkey under Passkeys in your settings and add a new one. If you didn’t use it just now, choose a new password too.',
      ],
      action: { label: 'See my passkeys', url: passkeysUrl },
      secondAction: { label: 'Choose a new password', url: resetUrl },
    }),
    'api-key-created': ({ appName, apiKey, organization, mayWithdraw, apiKeysUrl, resetUrl }) => ({
      subject: `An API key was created for ${keyOwner(organization, appName)}`,
      preheader: 'If this wasn’t you, delete it now.',
      heading: mayWithdraw ? 'An API key that can withdraw was created' : 'An API key was created',
      paragraphs: [
        `A program can now ${actFor(organization, appName)} with the API key “${plainName(apiKey)}”. If you created it, you can ignore this email.`,
        `If this wasn’t you, delete it under API keys in ${keySettings(organization)}, then choose a new password. That signs out every device.`,
      ],
      action: { label: seeKeys(organization), url: apiKeysUrl },
      secondAction: { label: 'Choose a new password', url: resetUrl },
    }),
    'api-key-changed': ({ appName, apiKey, organization, mayWithdraw, apiKeysUrl, resetUrl }) => ({
      subject: `An API key of ${keyOwner(organization, appName)} was changed`,
      preheader: 'If this wasn’t you, delete it now.',
      heading: 'An API key was changed',
      paragraphs: [
        `The API key “${plainName(apiKey)}”${ofOrganization(organization)} now has more permissions, works longer or from other addresses, or is enabled again.${mayWithdraw ? ' It can withdraw.' : ''} If you changed it, you can ignore this email.`,
        `If this wasn’t you, delete the key under API keys in ${keySettings(organization)}, then choose a new password. That signs out every device.`,
      ],
      action: { label: seeKeys(organization), url: apiKeysUrl },
      secondAction: { label: 'Choose a new password', url: resetUrl },
    }),
    'api-key-changed-by-another': ({ appName, apiKey, organization, mayWithdraw, actor, apiKeysUrl }) => ({
      subject: `Someone changed your API key of ${keyOwner(organization, appName)}`,
      preheader: 'It can now do more than before.',
      heading: 'Your API key was changed',
      paragraphs: [
        `${plainName(actor) || 'Someone'} changed the API key “${plainName(apiKey)}”${ofOrganization(organization)}, which you created. It now has more permissions, works longer or from other addresses, or is enabled again.${mayWithdraw ? ' It can withdraw.' : ''}`,
        `If you didn’t expect this, ask them. You can also disable or delete the key under API keys in ${keySettings(organization)}.`,
      ],
      action: { label: seeKeys(organization), url: apiKeysUrl },
    }),
    'api-key-leaked': ({ appName, apiKey, organization, apiKeysUrl }) => ({
      subject: `We deleted an API key of ${keyOwner(organization, appName)}`,
      preheader: 'Someone found its secret and reported it to us.',
      heading: 'An API key leaked, so we deleted it',
      paragraphs: [
        `Someone found the secret of the API key “${plainName(apiKey)}”${ofOrganization(organization)} and reported it to us. We deleted the key at once, so it no longer works.`,
        'Look through recent orders and withdrawals. Then remove the secret from where it was found, and create a new key.',
      ],
      action: { label: seeKeys(organization), url: apiKeysUrl },
    }),
    'allow-list-added': ({ appName, usableFrom, allowListUrl, resetUrl, ...address }) => ({
      subject: `A withdrawal address was added to your ${appName} account`,
      preheader: 'If this wasn’t you, remove it now.',
      heading: 'A withdrawal address was added',
      paragraphs: [
        `Your list of withdrawal addresses has a new one. You can use it from ${moment(usableFrom)} UTC. If you added it, you can ignore this email.`,
        'If this wasn’t you, remove it under Withdrawal addresses in your settings, then choose a new password. That signs out every device.',
      ],
      ...describeAddress('The new address', address),
      action: { label: 'See my addresses', url: allowListUrl },
      secondAction: { label: 'Choose a new password', url: resetUrl },
    }),
    'allow-list-removed': ({ appName, allowListUrl, resetUrl, ...address }) => ({
      subject: `A withdrawal address was removed from your ${appName} account`,
      preheader: 'If this wasn’t you, choose a new password.',
      heading: 'A withdrawal address was removed',
      paragraphs: [
        'Your list of withdrawal addresses no longer has the address below. If you removed it, you can ignore this email.',
        'If this wasn’t you, choose a new password. That signs out every device. Then add the address again.',
      ],
      ...describeAddress('The removed address', address),
      action: { label: 'See my addresses', url: allowListUrl },
      secondAction: { label: 'Choose a new password', url: resetUrl },
    }),
    'allow-list-enabled': ({ appName, allowListUrl, resetUrl }) => ({
      subject: `Your ${appName} withdrawals now go to your addresses only`,
      preheader: 'Your list of withdrawal addresses is on.',
      heading: 'Your list of withdrawal addresses is on',
      paragraphs: [
        'From now on, your money can only go to the addresses on your list. If you turned the list on, you can ignore this email.',
        'If this wasn’t you, choose a new password. That signs out every device.',
      ],
      action: { label: 'See my addresses', url: allowListUrl },
      secondAction: { label: 'Choose a new password', url: resetUrl },
    }),
    'allow-list-disabling': ({ appName, endsAt, allowListUrl, resetUrl }) => ({
      subject: `Your ${appName} list of withdrawal addresses will be turned off`,
      preheader: 'If this wasn’t you, keep the list on.',
      heading: 'Your list of withdrawal addresses will be turned off',
      paragraphs: [
        `The list stays on until ${moment(endsAt)} UTC. After that, your money can go to any address. If you turned it off, you can ignore this email.`,
        'If this wasn’t you, keep the list on under Withdrawal addresses in your settings, then choose a new password. That signs out every device.',
      ],
      action: { label: 'Keep the list on', url: allowListUrl },
      secondAction: { label: 'Choose a new password', url: resetUrl },
    }),
    'organization-invitation': ({ appName, inviter, organization, role, address, url, hours }) => ({
      subject: `You’re invited to join ${plainName(organization)} on ${appName}`,
      preheader: `This invitation expires in ${duration.hours(hours)}.`,
      heading: `Join ${plainName(organization)}`,
      paragraphs: [
        `${plainName(inviter) || 'Someone'} invited you to join the organization “${plainName(organization)}” on ${appName} as ${as[role]}.`,
        `The invitation is for ${address}. Sign in or sign up with this email address to accept it.`,
      ],
      action: { label: 'See the invitation', url },
      footnote: `This link works once and expires in ${duration.hours(hours)}. If you don’t know this person, ignore this email: nothing happens unless you accept.`,
    }),
    'webhook-paused': ({ appName, webhook, host, reason }) => ({
      subject: `${appName} no longer sends events to ${host}`,
      preheader: 'The webhook is paused. We keep your events for 30 days.',
      heading: 'Your webhook is paused',
      paragraphs: [
        reason === 'gone'
          ? `${host} answered that it no longer accepts events (status 410).`
          : `Every attempt to send events to ${host} has failed for three days.`,
        `The webhook ${webhook} stays paused until the ${appName} team resumes it. We keep events for 30 days. The team can send you the ones you missed.`,
        `Check that your server answers with a status from 200 to 299 within ten seconds. Then contact the ${appName} team to resume the webhook.`,
      ],
      needsSupport: true,
    }),
    'member-added': ({ appName, actor, organization, organizationsUrl }) => ({
      subject: `You were added to ${plainName(organization)} on ${appName}`,
      preheader: 'Accept the membership, or leave the organization.',
      heading: `You were added to ${plainName(organization)}`,
      paragraphs: [
        `${plainName(actor) || 'Someone'} added your ${appName} account to the organization “${plainName(organization)}”. Its members can see your name and email.`,
        'Accept in your settings to keep your place, or leave the organization there.',
      ],
      action: { label: 'Accept or leave', url: organizationsUrl },
    }),
    'role-given': ({ appName, email, role, actor, organization, days, organizationsUrl }) => ({
      subject: `Someone is now ${as[role]} of ${plainName(organization)} on ${appName}`,
      preheader: `For ${duration.days(days)}, they can’t withdraw for it.`,
      heading: `Someone is now ${as[role]} of ${plainName(organization)}`,
      paragraphs: [
        `${plainName(actor) || 'Someone'} made ${email} ${as[role]} of the organization “${plainName(organization)}”.`,
        `For the first ${duration.days(days)}, they can’t withdraw for it. If this is wrong, remove them, or cancel their invitation.`,
      ],
      action: { label: 'See the members', url: organizationsUrl },
    }),
    'organization-suspension': ({ appName, organization, isSuspended, organizationsUrl }) => ({
      subject: `${plainName(organization)} on ${appName} is ${isSuspended ? 'suspended' : 'no longer suspended'}`,
      preheader: 'If you think this is a mistake, contact our team.',
      heading: `${plainName(organization)} is ${isSuspended ? 'suspended' : 'no longer suspended'}`,
      paragraphs: [
        isSuspended
          ? `Our team suspended the organization “${plainName(organization)}” on ${appName}. Its members can’t act for it, and its API keys don’t work.`
          : `Our team ended the suspension of the organization “${plainName(organization)}” on ${appName}. Its members can act for it again, and its API keys work.`,
        'If you think this is a mistake, contact our team.',
      ],
      action: { label: 'See my organizations', url: organizationsUrl },
    }),
    'organization-owner-changed': ({ appName, email, organization, isOwner, organizationsUrl }) => ({
      subject: isOwner
        ? `You’re now the owner of ${plainName(organization)} on ${appName}`
        : `You’re no longer the owner of ${plainName(organization)} on ${appName}`,
      preheader: 'If you didn’t expect this, tell us.',
      heading: `${plainName(organization)} has a new owner`,
      paragraphs: [
        isOwner
          ? `Support made you the owner of the organization “${plainName(organization)}” on ${appName}.`
          : `Support made ${email} the owner of the organization “${plainName(organization)}” on ${appName}. You’re now one of its administrators.`,
        'If you didn’t expect this, tell us.',
      ],
      action: { label: 'See my organizations', url: organizationsUrl },
    }),
    'administrator-role': ({ appName, role, securityUrl }) => ({
      subject: role ? `You’re now an administrator of ${appName}` : `You’re no longer an administrator of ${appName}`,
      preheader: 'If you didn’t expect this, tell your team.',
      heading: role ? 'You’re now an administrator' : 'You’re no longer an administrator',
      paragraphs: [
        role
          ? `Your ${appName} account now has the role “${role}”. To open the administration for 15 minutes, you confirm it’s you with your passkey, or with a code if you have no passkey.`
          : `Your ${appName} account has no role in the administration anymore. Nothing else about your account changes.`,
        'If you didn’t expect this, tell the people who run the service.',
      ],
      action: { label: 'See your security settings', url: securityUrl },
    }),
    'support-act': ({ appName, act, until, resetUrl }) => {
      const ends = until ? ` until ${moment(until)} UTC` : ''
      const write = {
        suspended: {
          subject: `Your ${appName} account is suspended`,
          heading: 'Your account is suspended',
          paragraph: `Our team suspended your ${appName} account${ends}. You’re signed out everywhere and can’t sign in. Your API keys don’t work either.`,
          hint: 'If you think this is a mistake, contact our team.',
        },
        restored: {
          subject: `Your ${appName} account is no longer suspended`,
          heading: 'Your account is no longer suspended',
          paragraph: `Our team ended the suspension of your ${appName} account. You can sign in as before.`,
          hint: 'If someone else may know your password, choose a new one now.',
        },
        updated: {
          subject: `Our team changed your ${appName} profile`,
          heading: 'Your profile was changed',
          paragraph: `Our team changed your ${appName} profile. Your activity shows what changed.`,
          hint: 'If you didn’t ask for this, contact our team.',
        },
        'api-key-deleted': {
          subject: `Our team deleted an API key of your ${appName} account`,
          heading: 'One of your API keys was deleted',
          paragraph: `Our team deleted an API key of your ${appName} account. It stopped working at once. Your activity shows which one.`,
          hint: 'If you still need it, create a new one.',
        },
        'password-set': {
          subject: `Our team set a new password for your ${appName} account`,
          heading: 'You have a new password',
          paragraph: `Our team set a new password for your ${appName} account. You’re signed out everywhere.`,
          hint: 'Choose a password now that only you know.',
        },
      }[act]
      return {
        subject: write.subject,
        preheader: write.hint,
        heading: write.heading,
        paragraphs: [write.paragraph, write.hint],
        ...(resetUrl !== null && { action: { label: 'Choose a new password', url: resetUrl } }),
      }
    },
    'approval-requested': ({ appName, act, role, requester, email, userUrl, hours }) => ({
      subject: `An administrator of ${appName} needs your approval`,
      preheader: `The request expires in ${duration.hours(hours)}.`,
      heading: 'Your approval is needed',
      paragraphs: [
        `${shortenAddress(requester)} wants to ${
          {
            'set-role': role === 'user' ? 'remove the role of' : `give the role “${role}” to`,
            'restore-user': 'end the suspension of',
            'remove-user': 'permanently delete the account of',
            'disable-two-factor': 'turn off two-factor authentication for',
          }[act]
        } ${shortenAddress(email)}. This needs two administrators.`,
        'Read the reason on the page of the user. Approve it there, or reject it.',
      ],
      action: { label: 'See the request', url: userUrl },
      footnote: `The request expires in ${duration.hours(hours)}. If you don’t know about it, ask ${shortenAddress(requester)} first.`,
    }),
    impersonated: ({ appName, reason, from, until, sessionsUrl }) => ({
      subject: `An administrator of ${appName} opened your account`,
      preheader: 'They can look but can’t change anything.',
      heading: 'An administrator opened your account',
      paragraphs: [
        `On ${moment(from)} UTC, an administrator of ${appName} opened your account to see what you see. Their reason: “${oneLine(reason)}”`,
        `They can look until ${moment(until)} UTC at most. They can’t change or confirm anything, and they don’t see your passwords, keys, codes or your phrase.`,
        `You can end this session at any time in your list of sessions. If you don’t recognize this reason, contact the ${appName} team.`,
      ],
      action: { label: 'See my sessions', url: sessionsUrl },
      needsSupport: true,
    }),
    'member-removed': ({ appName, organization, organizationsUrl }) => ({
      subject: `You’re no longer a member of ${plainName(organization)} on ${appName}`,
      preheader: 'Nothing else about your account changes.',
      heading: `You were removed from ${plainName(organization)}`,
      paragraphs: [
        `You’re no longer a member of the organization “${plainName(organization)}” on ${appName}. Nothing else about your account changes.`,
      ],
      action: { label: 'See my organizations', url: organizationsUrl },
    }),
    'membership-dropped': ({ appName, organization, most, organizationsUrl }) => ({
      subject: `Your membership in ${plainName(organization)} on ${appName} has ended`,
      preheader: 'You hadn’t accepted it, and you reached your limit.',
      heading: `You’re no longer a member of ${plainName(organization)}`,
      paragraphs: [
        `You can be in up to ${most} organizations, and you just joined another one. You hadn’t accepted “${plainName(organization)}” yet, so you’re no longer in it.`,
        'To come back, ask its members for an invitation.',
      ],
      action: { label: 'See my organizations', url: organizationsUrl },
    }),
    'two-factor-enabled': ({ appName, securityUrl, resetUrl }) => ({
      subject: `Two-factor authentication is on for your ${appName} account`,
      preheader: 'Your password alone no longer signs you in.',
      heading: 'Two-factor authentication is on',
      paragraphs: [
        `From now on, you need a second factor to sign in to your ${appName} account: a passkey, a code from your authenticator app, or a backup code. Your other devices were signed out.`,
        'Keep your backup codes somewhere you can reach without your phone.',
        `If this wasn’t you, choose a new password now. That signs out every device. Then contact the ${appName} team: the second factor isn’t yours, so you can’t sign in without their help.`,
      ],
      action: { label: 'See two-factor authentication', url: securityUrl },
      secondAction: { label: 'This wasn’t me', url: resetUrl },
      needsSupport: true,
    }),
    'authenticator-added': ({ appName, securityUrl, resetUrl }) => ({
      subject: `An authenticator app was added to your ${appName} account`,
      preheader: 'If this wasn’t you, choose a new password now.',
      heading: 'An authenticator app was added',
      paragraphs: [
        `You can now confirm sign-ins to your ${appName} account with codes from an authenticator app. Your passkeys and backup codes still work. If this was you, you can ignore this email.`,
        'If this wasn’t you, choose a new password now. That signs out every device. Then sign in with your passkey or a backup code, and turn two-factor authentication off and on again: that removes the app.',
      ],
      action: { label: 'See two-factor authentication', url: securityUrl },
      secondAction: { label: 'This wasn’t me', url: resetUrl },
    }),
    'two-factor-disabled': ({ appName, resetUrl }) => ({
      subject: `Two-factor authentication is off for your ${appName} account`,
      preheader: 'If this wasn’t you, choose a new password now.',
      heading: 'Two-factor authentication is off',
      paragraphs: [
        `Two-factor authentication was just turned off for your ${appName} account. Your backup codes and trusted devices were removed. If this was you, you can ignore this email.`,
        'If this wasn’t you, choose a new password now. That signs out every device. Then turn two-factor authentication on again.',
      ],
      action: { label: 'This wasn’t me', url: resetUrl },
    }),
    'two-factor-locked': ({ appName, minutes, trustedDevices, resetUrl }) => ({
      subject: `Too many wrong codes for your ${appName} account`,
      preheader: 'If this wasn’t you, someone may know your password.',
      heading: 'Too many wrong codes',
      paragraphs: [
        `Someone entered too many wrong codes for your ${appName} account. Codes are blocked for ${duration.minutes(minutes)}.${trustedDevices ? ' Your trusted devices still work.' : ''}`,
        'If this wasn’t you, choose a new password now. Someone may know your current one.',
      ],
      action: { label: 'This wasn’t me', url: resetUrl },
    }),
    'backup-codes-replaced': ({ appName, resetUrl }) => ({
      subject: `Your ${appName} account has new backup codes`,
      preheader: 'The old ones no longer work.',
      heading: 'Your backup codes were replaced',
      paragraphs: [
        `New backup codes were created for your ${appName} account, and the old ones no longer work. If this was you, you can ignore this email.`,
        'If this wasn’t you, choose a new password now. That signs out every device. Then create new backup codes.',
      ],
      action: { label: 'This wasn’t me', url: resetUrl },
    }),
    'backup-code-used': ({ appName, left, securityUrl }) => ({
      subject: `A backup code was used on your ${appName} account`,
      preheader: `Codes left: ${left}.`,
      heading: 'A backup code was used',
      paragraphs: [
        `One of your ${appName} backup codes was just used and no longer works. Codes left: ${left}.`,
        'Running low? Create new ones in your settings. If this wasn’t you, choose a new password now, then create new codes.',
      ],
      action: { label: 'See two-factor authentication', url: securityUrl },
    }),
  },
}
