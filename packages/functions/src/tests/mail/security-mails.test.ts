import { randomInt } from 'node:crypto'
import { policy } from '@floorpass/api'
import type { MailName } from '@floorpass/email'
import { makeAdministrator } from '@floorpass/testing/administrators'
import { addAddress, setAllowList } from '@floorpass/testing/allow-list'
import { setUpTwoFactor, switchOnTwoFactor } from '@floorpass/testing/authenticator'
import type { Browser } from '@floorpass/testing/browser'
import { createTestApp, type Person } from '@floorpass/testing/create-test-app'
import { followRedirects } from '@floorpass/testing/follow-redirects'
import { startGitHub } from '@floorpass/testing/github-stand-in'
import { panicTokenOf, routeSamples, type SignedIn } from '@floorpass/testing/route-samples'
import { urlOf } from '@floorpass/testing/social-flow'
import { afterAll, describe, expect, test } from 'vitest'

const github = await startGitHub('http://localhost:3000/auth/callback/github')
afterAll(() => github.close())
const app = await createTestApp(github.environment)
const samples = routeSamples(app)

const french = { headers: { 'accept-language': 'fr' } }
const subjects: Record<MailName, string> = {
  'verify-email': 'Confirmez votre adresse e‑mail pour Floorpass',
  'create-passkey': 'Créez votre clé d’accès pour Floorpass',
  'already-registered': 'Vous avez déjà un compte Floorpass',
  'reset-password': 'Choisissez un nouveau mot de passe pour Floorpass',
  'password-cleared': 'Choisissez un nouveau mot de passe pour votre compte Floorpass',
  'password-changed': 'Votre mot de passe Floorpass a été modifié',
  'password-paused': 'Quelqu’un essaie de deviner le mot de passe de votre compte Floorpass',
  'password-set': 'Votre compte Floorpass a maintenant un mot de passe',
  'change-email-confirm': 'Confirmez votre nouvelle adresse e‑mail pour Floorpass',
  'email-change-requested': 'Changement d’adresse e‑mail demandé sur votre compte Floorpass',
  'email-changed': 'L’adresse e‑mail de votre compte Floorpass a été modifiée',
  'email-change-undone': 'Vous avez récupéré votre compte Floorpass. Choisissez un nouveau mot de passe',
  'passkey-added': 'Vous pouvez maintenant vous connecter à Floorpass avec une clé d’accès',
  'passkey-removed': 'Une clé d’accès a été supprimée de votre compte Floorpass',
  'passkey-counter': 'Nous avons bloqué une clé d’accès de votre compte Floorpass',
  'api-key-created': 'Une clé d’API a été créée pour votre compte Floorpass',
  'api-key-changed': 'Une clé d’API de votre compte Floorpass a été modifiée',
  'api-key-changed-by-another': 'Quelqu’un a modifié votre clé d’API de l’organisation Desk sur Floorpass',
  'api-key-leaked': 'Nous avons supprimé une clé d’API de votre compte Floorpass',
  'phrase-changed': 'La phrase de vos e‑mails Floorpass a été modifiée',
  'hold-lifted': 'Une suspension de vos retraits Floorpass a été levée',
  'account-locked': 'Votre compte Floorpass est verrouillé',
  'unlock-requested': 'Votre compte Floorpass va être déverrouillé',
  'unlock-canceled': 'Votre compte Floorpass reste verrouillé',
  'account-unlocked': 'Votre compte Floorpass est déverrouillé',
  'unlock-refused': 'Quelqu’un a essayé de déverrouiller votre compte Floorpass',
  panicked: 'Nous avons tout arrêté sur votre compte Floorpass',
  'allow-list-added': 'Une adresse de retrait a été ajoutée à votre compte Floorpass',
  'allow-list-removed': 'Une adresse de retrait a été supprimée de votre compte Floorpass',
  'allow-list-enabled': 'Vos retraits Floorpass ne partent plus que vers vos adresses',
  'allow-list-disabling': 'Votre liste d’adresses de retrait Floorpass va être désactivée',
  'delete-account': 'Confirmez la suppression de votre compte Floorpass',
  reauthenticate: 'Confirmez que c’est bien vous sur Floorpass',
  'account-deleted': 'Votre compte Floorpass a été supprimé',
  'account-linked': 'Vous pouvez maintenant vous connecter à Floorpass avec GitHub',
  'account-unlinked': 'GitHub a été dissocié de votre compte Floorpass',
  // To the contact of a webhook: tests/webhooks.
  'webhook-paused': 'Floorpass n’envoie plus d’événements à hooks.example.com',
  'organization-invitation': 'Invitation à rejoindre Desk sur Floorpass',
  'member-added': 'Vous faites maintenant partie de Desk sur Floorpass',
  'organization-suspension': 'Desk sur Floorpass est suspendue',
  'organization-owner-changed': 'Vous êtes maintenant propriétaire de Desk sur Floorpass',
  impersonated: 'L’administration de Floorpass a ouvert votre compte',
  'administrator-role': 'Vous faites maintenant partie de l’administration de Floorpass',
  'support-act': 'Votre compte Floorpass est suspendu',
  'approval-requested': 'Administration de Floorpass : votre accord est demandé',
  'role-given': 'Quelqu’un a maintenant le rôle d’administrateur dans Desk sur Floorpass',
  'member-removed': 'Vous n’êtes plus membre de Desk sur Floorpass',
  'membership-dropped': 'Vous ne faites plus partie de Desk sur Floorpass',
  'two-factor-enabled': 'Double authentification activée sur votre compte Floorpass',
  'authenticator-added': 'Application d’authentification ajoutée à votre compte Floorpass',
  'two-factor-disabled': 'Double authentification désactivée sur votre compte Floorpass',
  'two-factor-locked': 'Trop de codes incorrects pour votre compte Floorpass',
  'backup-codes-replaced': 'Votre compte Floorpass a de nouveaux codes de secours',
  'backup-code-used': 'Un code de secours de votre compte Floorpass a été utilisé',
}
const nameOf = (subject: string) => Object.entries(subjects).find(([, text]) => text === subject)?.[0] ?? `not French: ${subject}`

type French = { tab: Browser; person: Person; userId: string; newEmail: string }

/** A user who signed up in French and signed in from a browser that prefers English. */
async function createFrenchUser(): Promise<French> {
  const person = app.person()
  await app.browser().post('/auth/sign-up/email', person, french)
  await app.drainMail()
  const tab = app.browser()
  await tab.post('/auth/verify-email', { token: app.outbox.lastTo(person.email).token })
  const { body } = await tab.post('/auth/sign-in/email', { email: person.email, password: person.password })
  return { tab, person, userId: (body as { user: { id: string } }).user.id, newEmail: `new-${person.email}` }
}

const newestToken = async (address: string) => {
  await app.drainMail()
  return app.outbox.lastTo(address).token
}
const changeEmail = async ({ tab, newEmail }: French) => {
  await tab.post('/auth/change-email', { newEmail })
  await tab.post('/auth/verify-email', { token: await newestToken(newEmail) })
}

type Recipient = 'own' | 'new'
type Action = {
  action: string
  prepare?: (user: French) => Promise<string | undefined>
  act: (user: French, token: string | undefined) => ReturnType<Browser['post']>
  answers?: number
  sends: [MailName, Recipient][]
  /** In the first of these mails. */
  says?: string
}

const founder = await app.signedIn()
/** Creates an active organization without other members. */
const createFoundersOrganization = async () => {
  await app.db.organization.deleteMany()
  await founder.post('/auth/organization/create', { name: 'Desk', slug: 'desk' })
  return undefined
}

const createKey =
  (field: 'id' | 'key') =>
  async ({ tab }: French): Promise<string> => {
    const { body } = await tab.post('/auth/api-key/create', { name: 'Bot' })
    await app.drainMail()
    return (body as Record<typeof field, string>)[field]
  }

const newPassword = 'violet harbor ladder'
const actions: Action[] = [
  {
    action: 'a sign-up with an address that has an account',
    act: ({ person }) => app.browser().post('/auth/sign-up/email', { ...app.person(), email: person.email }),
    sends: [['already-registered', 'own']],
  },
  {
    action: 'forget-password',
    act: ({ person }) => app.browser().post('/auth/forget-password', { email: person.email }),
    sends: [['reset-password', 'own']],
  },
  {
    action: 'reset-password',
    prepare: async ({ person: { email } }) => {
      await app.browser().post('/auth/forget-password', { email })
      return newestToken(email)
    },
    act: (_, token) => app.browser().post('/auth/reset-password', { token, newPassword }),
    sends: [['password-changed', 'own']],
    says: 'et tous vos appareils ont été déconnectés',
  },
  {
    action: 'change-password',
    act: ({ tab, person }) => tab.post('/auth/change-password', { currentPassword: person.password, newPassword }),
    sends: [['password-changed', 'own']],
    says: 'et vos autres appareils ont été déconnectés',
  },
  {
    action: 'set-password',
    prepare: async ({ userId }) => {
      await app.db.account.deleteMany({ where: { userId } })
      return undefined
    },
    act: ({ tab }) => tab.post('/auth/set-password', { newPassword }),
    sends: [['password-set', 'own']],
  },
  {
    action: 'change-email',
    act: ({ tab, newEmail }) => tab.post('/auth/change-email', { newEmail }),
    sends: [
      ['change-email-confirm', 'new'],
      ['email-change-requested', 'own'],
    ],
  },
  {
    action: 'the proof of the new address',
    prepare: async ({ tab, newEmail }) => {
      await tab.post('/auth/change-email', { newEmail })
      return newestToken(newEmail)
    },
    act: ({ tab }, token) => tab.post('/auth/verify-email', { token }),
    sends: [['email-changed', 'own']],
    says: 'Annuler le changement',
  },
  {
    action: 'undo-email-change',
    prepare: async (user) => {
      await changeEmail(user)
      return newestToken(user.person.email)
    },
    act: (_, token) => app.browser().post('/auth/undo-email-change', { token }),
    sends: [
      ['email-changed', 'new'],
      ['email-change-undone', 'own'],
    ],
    says: 'Le changement vient d’un lien d’annulation',
  },
  {
    action: 'reauthenticate by mail, for an account with no other way',
    prepare: async ({ userId }) => {
      await app.db.account.deleteMany({ where: { userId } })
      await app.db.user.update({ where: { id: userId }, data: { createdAt: new Date(Date.now() - 8 * 86_400_000) } })
      return ''
    },
    act: ({ tab }) => tab.post('/auth/reauthenticate', { sendEmail: true }),
    sends: [['reauthenticate', 'own']],
  },
  {
    action: 'allow-list/add',
    act: ({ tab }) => addAddress(tab, { label: 'Coffre' }),
    sends: [['allow-list-added', 'own']],
    says: 'Nom : Coffre',
  },
  {
    action: 'allow-list/remove',
    prepare: async ({ tab }) => {
      const { body } = await addAddress(tab)
      await app.drainMail()
      return (body as { id: string }).id
    },
    act: ({ tab }, id) => tab.post('/auth/allow-list/remove', { id }),
    sends: [['allow-list-removed', 'own']],
  },
  {
    action: 'allow-list/set-enabled, on',
    act: ({ tab }) => setAllowList(tab, true),
    sends: [['allow-list-enabled', 'own']],
  },
  {
    action: 'allow-list/set-enabled, off',
    prepare: async ({ tab }) => {
      await setAllowList(tab, true)
      await app.drainMail()
      return undefined
    },
    act: ({ tab }) => setAllowList(tab, false),
    sends: [['allow-list-disabling', 'own']],
  },
  {
    action: 'api-key/create',
    act: ({ tab }) => tab.post('/auth/api-key/create', { name: 'Bot' }),
    sends: [['api-key-created', 'own']],
  },
  {
    action: 'api-key/update with more permissions',
    prepare: createKey('id'),
    act: ({ tab }, keyId) => tab.post('/auth/api-key/update', { keyId, permissions: { order: ['read', 'cancel'] } }),
    sends: [['api-key-changed', 'own']],
  },
  {
    action: 'api-key/report',
    prepare: createKey('key'),
    act: (_, key) => app.browser().post('/auth/api-key/report', { key }),
    sends: [['api-key-leaked', 'own']],
  },
  ...(
    [
      ['lock', 'account-locked'],
      ['request-unlock', 'unlock-requested'],
      ['cancel-unlock', 'unlock-canceled'],
      ['unlock-with-key', 'account-unlocked'],
      ['lift-hold', 'hold-lifted'],
      ['set-phrase', 'phrase-changed'],
      ['undo-panic', 'account-unlocked'],
    ] as const
  ).map(([route, mail]) => ({
    action: `protection/${route}`,
    prepare: async ({ tab, person, userId }: French) =>
      JSON.stringify(await samples[`POST /protection/${route}`]?.({ ...tab, person, userId } as SignedIn)),
    act: ({ tab }: French, sample = '{}') => tab.post(`/auth/protection/${route}`, JSON.parse(sample)),
    sends: [[mail, 'own']] as Action['sends'],
  })),
  {
    action: 'a wrong lock key',
    prepare: async ({ tab, person, userId }) =>
      JSON.stringify(await samples['POST /protection/unlock-with-key']?.({ ...tab, person, userId } as SignedIn)),
    act: ({ tab }, sample = '{}') => tab.post('/auth/protection/unlock-with-key', { ...JSON.parse(sample), key: 'wrong' }),
    answers: 401,
    sends: [['unlock-refused', 'own']],
  },
  {
    action: 'panic',
    prepare: ({ tab, person }) => panicTokenOf(app, { ...tab, person } as SignedIn),
    act: (_, token) => app.browser().post('/auth/panic', { token }),
    sends: [['panicked', 'own']],
  },
  {
    action: 'delete-user without a password',
    act: ({ tab }) => tab.post('/auth/delete-user'),
    sends: [['delete-account', 'own']],
  },
  {
    action: 'delete-user',
    act: ({ tab, person }) => tab.post('/auth/delete-user', { password: person.password }),
    sends: [['account-deleted', 'own']],
  },
  {
    action: 'link-social, back from the provider',
    prepare: async ({ tab, person: { email } }) => {
      await github.set({ person: { id: randomInt(2 ** 40), login: 'ada', emails: [{ email, primary: true, verified: true }] } })
      const start = await tab.post('/auth/link-social', { provider: 'github' })
      return followRedirects(urlOf(start).href, app.baseUrl)
    },
    act: ({ tab }, back = '') => tab.get(back),
    answers: 302,
    sends: [['account-linked', 'own']],
  },
  {
    action: 'unlink-account',
    prepare: async ({ userId }) => {
      await app.db.account.create({ data: { userId, providerId: 'github', accountId: userId } })
      return undefined
    },
    act: ({ tab }) => tab.post('/auth/unlink-account', { providerId: 'github' }),
    sends: [['account-unlinked', 'own']],
  },
  {
    action: 'an invitation',
    prepare: createFoundersOrganization,
    act: ({ person: { email } }) => founder.post('/auth/organization/invite-member', { email, role: 'member' }),
    sends: [['organization-invitation', 'own']],
  },
  {
    action: 'being added to an organization',
    prepare: createFoundersOrganization,
    act: ({ userId }) => founder.post('/auth/organization/member/add', { userId, role: 'member' }),
    sends: [['member-added', 'own']],
  },
  {
    action: 'making a member an administrator',
    prepare: async ({ tab }) => {
      await app.db.organization.deleteMany()
      const { body } = await tab.post('/auth/organization/create', { name: 'Desk', slug: 'desk' })
      const { id } = body as { id: string }
      const member = { userId: founder.userId, organizationId: id, role: 'member', slot: 1 }
      return (await app.db.member.create({ data: member })).id
    },
    act: ({ tab }, memberId) => tab.post('/auth/organization/member/update-role', { memberId, role: 'admin' }),
    sends: [['role-given', 'own']],
  },
  {
    action: 'an administrator of the service who makes a member the owner',
    prepare: async ({ userId }) => {
      await createFoundersOrganization()
      const { id } = await app.db.organization.findFirstOrThrow()
      await app.db.member.updateMany({ data: { role: 'admin' } })
      await app.db.member.create({ data: { userId, organizationId: id, role: 'member', slot: 1 } })
      return id
    },
    act: async ({ userId }, id) => {
      const admin = await app.signedIn()
      await makeAdministrator(app, admin)
      return admin.post('/auth/admin/change-organization-owner', { organizationId: id, userId, reason: 'the founder has left' })
    },
    sends: [['organization-owner-changed', 'own']],
  },
  {
    action: 'an administrator who impersonates the user',
    prepare: async () => {
      await makeAdministrator(app, founder)
      return undefined
    },
    act: async ({ userId }) => {
      const answer = await founder.post('/auth/admin/impersonate-user', { userId, reason: 'demande 4711' })
      await founder.post('/auth/admin/stop-impersonating', {})
      return answer
    },
    sends: [['impersonated', 'own']],
    says: 'demande 4711',
  },
  {
    action: 'being removed from an organization',
    prepare: async ({ userId }) => {
      await createFoundersOrganization()
      await founder.post('/auth/organization/member/add', { userId, role: 'member' })
      return undefined
    },
    act: ({ person: { email } }) => founder.post('/auth/organization/member/remove', { memberIdOrEmail: email }),
    sends: [['member-removed', 'own']],
  },
  {
    action: 'creating a sixth organization after an addition that was not accepted',
    prepare: async ({ tab, userId }) => {
      await createFoundersOrganization()
      await founder.post('/auth/organization/member/add', { userId, role: 'member' })
      for (const slug of ['a', 'b', 'c', 'd']) await tab.post('/auth/organization/create', { name: 'Own', slug })
      return undefined
    },
    act: ({ tab }) => tab.post('/auth/organization/create', { name: 'Own', slug: 'e' }),
    sends: [['membership-dropped', 'own']],
  },
  {
    action: 'the first code of a second factor',
    prepare: async ({ tab, person }) => (await setUpTwoFactor(tab, person.password)).authenticator.code(),
    act: ({ tab }, code) => tab.post('/auth/two-factor/verify', { code }),
    sends: [['two-factor-enabled', 'own']],
  },
  {
    action: 'a backup code',
    prepare: async ({ tab, person }) => {
      const { backupCodes } = await switchOnTwoFactor(tab, person.password)
      await tab.post('/auth/sign-in/email', { email: person.email, password: person.password })
      return backupCodes[0]
    },
    act: ({ tab }, code) => tab.post('/auth/two-factor/verify-backup-code', { code }),
    sends: [['backup-code-used', 'own']],
  },
  {
    action: 'two-factor/generate-backup-codes',
    prepare: async ({ tab, person }) => {
      await switchOnTwoFactor(tab, person.password)
      return undefined
    },
    act: ({ tab, person }) => tab.post('/auth/two-factor/generate-backup-codes', { password: person.password }),
    sends: [['backup-codes-replaced', 'own']],
  },
  {
    action: 'two-factor/disable',
    prepare: async ({ tab, person }) => {
      await switchOnTwoFactor(tab, person.password)
      return undefined
    },
    act: ({ tab, person }) => tab.post('/auth/two-factor/disable', { password: person.password }),
    sends: [['two-factor-disabled', 'own']],
  },
  {
    action: 'the last wrong password that is looked at',
    prepare: async ({ userId }) => {
      const { unknown } = policy.passwordGuesses
      await app.db.account.updateMany({ where: { userId }, data: { unknownGuesses: unknown - 1 } })
      return undefined
    },
    act: ({ person: { email } }) => app.browser().post('/auth/sign-in/email', { email, password: 'something else' }),
    answers: 401,
    sends: [['password-paused', 'own']],
  },
  {
    action: 'the tenth wrong code in a row',
    prepare: async ({ tab, person }) => {
      await switchOnTwoFactor(tab, person.password)
      for (let count = 0; count < 9; count += 1) await tab.post('/auth/two-factor/verify', { code: 'wrong' })
      return undefined
    },
    act: ({ tab }) => tab.post('/auth/two-factor/verify', { code: 'wrong' }),
    answers: 401,
    sends: [['two-factor-locked', 'own']],
  },
]

const mailsTo = ({ person, newEmail }: French) => {
  const mails = (address: string, recipient: Recipient) =>
    app.outbox.to(address).map(({ subject, ...mail }) => ({ ...mail, sent: [nameOf(subject), recipient] }))
  return [...mails(newEmail, 'new'), ...mails(person.email, 'own')]
}

describe.each(actions)('T184: $action', ({ act, prepare, answers = 200, sends, says = '' }) => {
  test('emails the user once, in their language, and no one else', async () => {
    const user = await createFrenchUser()
    const token = await prepare?.(user)
    await app.drainMail()
    const [all, own] = [app.outbox.mails.length, mailsTo(user).length]
    expect((await act(user, token)).status).toBe(answers)
    await app.drainMail()
    expect(app.outbox.mails.length - all).toBe(sends.length)
    const sent = mailsTo(user)
    expect(sent).toHaveLength(own + sends.length)
    const isNew = ({ text }: { text: string }) => app.outbox.mails.slice(all).some((mail) => mail.text === text)
    const newest = sent.filter(isNew)
    expect(newest.map((mail) => mail.sent)).toEqual(sends)
    expect(newest[0]?.text).toContain(says)
    for (const { html, text } of newest) {
      expect(html).toContain('<html lang="fr">')
      expect(text).toContain('Bonjour ')
      // A link to a page, not to the address of the service alone.
      for (const link of text.match(/https?:\/\/\S+/g) ?? []) expect([link, new URL(link).pathname]).not.toEqual([link, '/'])
    }
  })

  test('succeeds while the mail server is down, and the mail leaves later', async () => {
    const user = await createFrenchUser()
    const token = await prepare?.(user)
    await app.drainMail()
    const before = mailsTo(user).length
    app.outbox.failWith(new Error('the mail server is away'))
    const answer = await act(user, token)
    await app.drainMail()
    const meanwhile = mailsTo(user).length
    app.outbox.failWith(null)
    await app.db.queuedMail.updateMany({ data: { nextAttemptAt: new Date(0) } })
    await app.drainMail()
    expect([answer.status, meanwhile, mailsTo(user).length]).toEqual([answers, before, before + sends.length])
    expect(await app.db.queuedMail.count()).toBe(0)
  })
})
