import type { Api, ProviderId } from '@floorpass/api'
import * as contracts from '@floorpass/api/contracts'
import { providerIds } from '@floorpass/api/contracts'
import type { z } from 'zod'
import type { BodyKind } from '../http/read-input.ts'
import { followResetLink } from './follow-reset-link.ts'
import { followSocialCallback, followSocialStart } from './follow-social.ts'
import { followVerificationLink } from './follow-verification-link.ts'

export type Route = {
  /** The table of the specification that it stands in. */
  module: string
  method: 'GET' | 'POST'
  /** Below /auth. */
  path: string
  /** Other paths of the same row: the names that better-auth's client calls. */
  aliases: readonly string[]
  /** Who gets past the procedure. The procedure decides; this is for the document and the tests that every row must pass. */
  access: 'public' | 'session'
  summary: string
  input: z.ZodType | null
  /** Null when the answer is a redirect. */
  answer: z.ZodType | null
  accepts: readonly BodyKind[]
  /** What must be configured for the row to be there. */
  needs: ProviderId | 'any-provider' | null
  call: Call
}

type Call = (api: Api, input: never, request: Request) => Promise<unknown>

type Row = Omit<Route, 'module'>
type Given = Pick<Row, 'access' | 'summary' | 'call' | 'answer'> & Partial<Pick<Row, 'aliases' | 'input' | 'accepts' | 'needs'>>

const get = (path: string, row: Given): Row => ({
  method: 'GET',
  path,
  aliases: [],
  input: null,
  accepts: [],
  needs: null,
  ...row,
})
const post = (path: string, row: Given): Row => ({
  method: 'POST',
  path,
  aliases: [],
  input: null,
  accepts: ['json'],
  needs: null,
  ...row,
})

/** The REST surface: one row a route, in the order of the specification. `input` goes to the procedure as it came; its contract judges. */
const table: Record<string, readonly Row[]> = {
  'sign-in': [
    post('/sign-in/email', {
      access: 'public',
      summary: 'Sign in with email and password',
      input: contracts.signInEmailInput,
      answer: contracts.signInAnswer,
      accepts: ['json', 'form'],
      call: (api, body) => api.signIn.email(body),
    }),
    post('/sign-up/email', {
      access: 'public',
      summary: 'Sign up with email and password',
      input: contracts.signUpEmailInput,
      answer: contracts.signUpAnswer,
      accepts: ['json', 'form'],
      call: (api, body) => api.signIn.signUp(body),
    }),
    get('/sign-in/social', {
      access: 'public',
      summary: 'Redirect to a social provider',
      input: contracts.startSocialInput,
      answer: null,
      needs: 'any-provider',
      call: followSocialStart,
    }),
    post('/sign-in/social', {
      access: 'public',
      summary: 'The URL of a social provider, for a client that navigates itself',
      input: contracts.startSocialInput,
      answer: contracts.socialRedirectAnswer,
      needs: 'any-provider',
      call: (api, body) => api.signIn.startSocial(body),
    }),
    ...providerIds.map((provider) =>
      get(`/callback/${provider}`, {
        access: 'public',
        summary: `The way back from ${provider}`,
        input: contracts.finishSocialInput.omit({ provider: true }),
        answer: null,
        needs: provider,
        call: (api, query: object) => followSocialCallback(api, { ...query, provider }),
      }),
    ),
    post('/sign-out', {
      access: 'public',
      summary: 'Sign out',
      answer: contracts.successAnswer,
      call: (api) => api.signIn.signOut(),
    }),
  ],
  sessions: [
    get('/get-session', {
      access: 'public',
      summary: 'The current session and its user, or null',
      answer: contracts.currentSessionAnswer,
      call: (api) => api.sessions.get(),
    }),
    get('/list-sessions', {
      access: 'session',
      summary: 'All live sessions of the caller, as devices',
      answer: contracts.devicesAnswer,
      call: (api) => api.sessions.list(),
    }),
    post('/revoke-session', {
      access: 'session',
      summary: 'End one session of the caller',
      input: contracts.revokeSessionInput,
      answer: contracts.statusAnswer,
      call: (api, body) => api.sessions.revoke(body),
    }),
    post('/revoke-sessions', {
      access: 'session',
      summary: 'End all sessions of the caller',
      answer: contracts.statusAnswer,
      call: (api) => api.sessions.revokeAll(),
    }),
    post('/revoke-other-sessions', {
      access: 'session',
      summary: 'End all sessions of the caller but this one',
      answer: contracts.statusAnswer,
      call: (api) => api.sessions.revokeOthers(),
    }),
  ],
  passwords: [
    post('/forget-password', {
      aliases: ['/request-password-reset'],
      access: 'public',
      summary: 'Mail a link that sets a new password',
      input: contracts.requestPasswordResetInput,
      answer: contracts.requestResetAnswer,
      call: (api, body) => api.passwords.requestReset(body),
    }),
    get('/reset-password', {
      access: 'public',
      summary: 'The mailed link of a front end elsewhere: checks the token and redirects there with it',
      input: contracts.resetLinkInput,
      answer: null,
      call: followResetLink,
    }),
    post('/reset-password', {
      access: 'public',
      summary: 'Set a new password with a mailed token',
      input: contracts.resetPasswordInput,
      answer: contracts.statusAnswer,
      call: (api, body) => api.passwords.reset(body),
    }),
    post('/change-password', {
      access: 'session',
      summary: 'Replace a known password',
      input: contracts.changePasswordInput,
      answer: contracts.changePasswordAnswer,
      call: (api, body) => api.passwords.change(body),
    }),
    post('/set-password', {
      access: 'session',
      summary: 'Give a first password to a social-only account',
      input: contracts.setPasswordInput,
      answer: contracts.statusAnswer,
      call: (api, body) => api.passwords.set(body),
    }),
  ],
  'email-address': [
    post('/verify-email', {
      access: 'public',
      summary: 'Prove an address with a mailed token',
      input: contracts.verifyEmailInput,
      answer: contracts.verifyEmailAnswer,
      call: (api, body) => api.emailAddress.verify(body),
    }),
    get('/verify-email', {
      access: 'public',
      summary: 'The same for a program; a browser is sent to the page with the button',
      input: contracts.verifyEmailInput,
      answer: contracts.verifyEmailAnswer,
      call: followVerificationLink,
    }),
    post('/send-verification-email', {
      access: 'public',
      summary: 'Mail a new verification link',
      input: contracts.sendVerificationEmailInput,
      answer: contracts.statusAnswer,
      call: (api, body) => api.emailAddress.sendVerification(body),
    }),
    post('/change-email', {
      access: 'session',
      summary: 'Ask for another address',
      input: contracts.changeEmailInput,
      answer: contracts.statusAnswer,
      call: (api, body) => api.emailAddress.change(body),
    }),
    post('/undo-email-change', {
      access: 'public',
      summary: 'Take an account back with the link that its former address got',
      input: contracts.undoEmailChangeInput,
      answer: contracts.statusAnswer,
      call: (api, body) => api.emailAddress.undoChange(body),
    }),
  ],
  profile: [
    post('/update-user', {
      access: 'session',
      summary: 'Change name, image, trading switch or risk level',
      input: contracts.updateUserInput,
      answer: contracts.statusAnswer,
      call: (api, body) => api.profile.update(body),
    }),
    post('/delete-user', {
      access: 'session',
      summary: 'Delete the account; without password or token, mail a link that does',
      input: contracts.deleteUserInput,
      answer: contracts.deleteUserAnswer,
      call: (api, body) => api.profile.delete(body),
    }),
    get('/export-data', {
      access: 'session',
      summary: 'Everything held on the caller',
      answer: contracts.exportAnswer,
      call: (api) => api.profile.exportData(),
    }),
  ],
  'linked-accounts': [
    post('/link-social-account', {
      aliases: ['/link-social'],
      access: 'session',
      summary: 'Link a social account',
      input: contracts.linkSocialAccountInput,
      answer: contracts.socialRedirectAnswer,
      needs: 'any-provider',
      call: (api, body) => api.linkedAccounts.link(body),
    }),
    post('/unlink-account', {
      access: 'session',
      summary: 'Unlink a linked account',
      input: contracts.unlinkAccountInput,
      answer: contracts.statusAnswer,
      call: (api, body) => api.linkedAccounts.unlink(body),
    }),
    get('/list-user-accounts', {
      aliases: ['/list-accounts'],
      access: 'session',
      summary: 'List linked accounts',
      answer: contracts.accountsAnswer,
      call: (api) => api.linkedAccounts.list(),
    }),
  ],
}

export const routes: readonly Route[] = Object.entries(table).flatMap(([module, rows]) => rows.map((row) => ({ module, ...row })))

/** The rows of a service with these providers: what is not configured is not there. */
export const activeRoutes = (providers: ReadonlySet<ProviderId>): readonly Route[] =>
  routes.filter(({ needs }) => needs === null || (needs === 'any-provider' ? providers.size > 0 : providers.has(needs)))
