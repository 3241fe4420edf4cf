import { redirect } from '@remix-run/node'
import { type MetaFunction, useActionData, useLoaderData } from '@remix-run/react'
import { actOnUser, approve } from '#app/act-on-user.server.ts'
import { describeEvent, throwNotFound, withAdministration } from '#app/administration.server.ts'
import { useAdministrationText } from '#app/administration-text.ts'
import { withApiForm } from '#app/api.server.ts'
import { Card, Detail, Facts } from '#app/components/card.tsx'
import { ConfirmButton } from '#app/components/confirm-button.tsx'
import { DeviceIcon } from '#app/components/device-icon.tsx'
import { Heading } from '#app/components/heading.tsx'
import { ExactMoment, Moment } from '#app/components/moment.tsx'
import { OlderNewer } from '#app/components/older-newer.tsx'
import { OpenAccount } from '#app/components/open-account.tsx'
import { reauthenticateLink } from '#app/components/reauthentication-gate.tsx'
import { ResultAlert } from '#app/components/result-alert.tsx'
import { Status } from '#app/components/status.tsx'
import { TextLink } from '#app/components/text-link.tsx'
import { actIntents, UserActs } from '#app/components/user-acts.tsx'
import { UserApiKeys } from '#app/components/user-api-keys.tsx'
import { UserApprovals } from '#app/components/user-approvals.tsx'
import { describeDevice } from '#app/describe-device.server.ts'
import { momentText } from '#app/moment-text.server.ts'
import { pageTitle } from '#app/page-title.ts'

const eventsShown = 25

export const loader = withAdministration(async ({ api, page, params, text, url }) => {
  const id = params.id ?? ''
  const before = url.searchParams.get('before')?.slice(0, 128) || undefined
  const may = async (permissions: Record<string, string[]>) => (await api.administration.hasPermission({ permissions })).success
  const { user: viewer } = await api.sessions.require()
  const [user, { sessions }, { events }, { approvals }, { apiKeys }, mayRevoke, mayAct, mayImpersonate] = await Promise.all([
    api.administration.getUser({ id }),
    api.administration.listUserSessions({ userId: id }),
    api.administration.listAuditEvents({ userId: id, limit: String(eventsShown), ...(before !== undefined && { before }) }),
    api.administration.listApprovals({ userId: id }),
    api.administration.listUserApiKeys({ userId: id }),
    may({ session: ['revoke'] }),
    may({ user: ['ban', 'update', 'set-role', 'set-password', 'disable-two-factor', 'delete'] }),
    may({ user: ['impersonate'] }),
  ]).catch(throwNotFound)
  const mayActOn = user.role === 'user' || viewer.role === 'admin'
  const last = events.length === eventsShown ? events.at(-1)?.id : undefined
  return {
    id: user.id,
    path: `/admin/users/${encodeURIComponent(user.id)}`,
    name: user.name,
    email: user.email,
    role: user.role,
    banned: user.banned,
    emailVerified: user.emailVerified,
    twoFactor: user.twoFactorEnabled,
    trading: user.tradingEnabled,
    isLocked: user.lock !== null,
    heldUntil: user.heldUntil !== null && user.heldUntil.getTime() > Date.now() ? momentText(user.heldUntil, page.locale) : null,
    created: momentText(user.createdAt, page.locale),
    methods: user.accounts
      .filter(({ providerId, hasPassword }) => providerId !== 'credential' || hasPassword)
      .map(({ providerId }) => providerId),
    passkeys: user.passkeys,
    organizations: user.organizations.map(({ slug, role }) => ({ slug, role })),
    sessions: sessions.map((session) => ({
      token: session.token,
      device: describeDevice({ ...session, place: null }, text),
      lastSeen: momentText(session.lastSeenAt, page.locale),
    })),
    apiKeys: apiKeys.map((key) => ({
      id: key.id,
      name: key.name ?? key.id,
      start: key.start,
      state: stateOfKey(key),
      isOfOrganization: key.referenceId !== user.id,
      created: momentText(key.createdAt, page.locale),
    })),
    events: events.map((event) => describeEvent(event, page)),
    older: last ?? null,
    isFirst: before === undefined,
    mayRevoke: mayRevoke && mayActOn,
    mayAct: mayAct && viewer.id !== user.id,
    mayImpersonate: mayImpersonate && user.role === 'user' && !user.banned,
    suspendedUntil: user.banExpires && momentText(user.banExpires, page.locale),
    approvals: approvals.map(({ requestedBy, requesterEmail, expiresAt, ...approval }) => ({
      ...approval,
      requester: requesterEmail,
      isMine: requestedBy === viewer.id,
      expires: momentText(expiresAt, page.locale),
    })),
  }
})

const stateOfKey = ({ enabled, expiresAt }: { enabled: boolean; expiresAt: Date | null }): 'active' | 'disabled' | 'expired' => {
  if (expiresAt !== null && expiresAt.getTime() <= Date.now()) return 'expired'
  return enabled ? 'active' : 'disabled'
}

/** The intent is an act of `actOnUser`, `impersonate`, `approve:<id>`, `reject:<id>`, `withdraw:<id>`, `key:<id>`, `all`, or the one session of that handle. */
export const action = withApiForm(['intent', 'name', 'email', 'role', 'reason', 'banReason', 'banExpiresIn'], async (args) => {
  const { api, field, text } = args
  const userId = args.params.id ?? ''
  const intent = field('intent')
  const form = { api, userId, field, text }
  const [verb, id = ''] = intent.split(':')
  if (verb === 'approve') return approve(id, form)
  if (verb === 'key') {
    await api.administration.revokeUserApiKey({ keyId: id, reason: field('reason') })
    return { done: text.administrationUser.deletedKey }
  }
  if (verb === 'reject' || verb === 'withdraw') {
    await api.administration.rejectApproval({ approvalId: id })
    const { rejected, withdrawn } = text.administrationApproval
    return { done: verb === 'reject' ? rejected : withdrawn }
  }
  if (intent === 'impersonate') {
    await api.administration.impersonateUser({ userId, reason: field('reason') })
    throw redirect('/dashboard')
  }
  const acted = await actOnUser(intent, form)
  if (acted) return acted
  if (intent === 'all') {
    await api.administration.revokeUserSessions({ userId })
    return { done: text.administrationUser.endedAll }
  }
  const { revoked } = await api.administration.revokeUserSession({ sessionToken: intent })
  return { done: revoked > 0 ? text.administrationUser.ended : text.administrationUser.notFound }
})

export { clientAction } from '#app/client-action.ts'

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, (text) => text.administration.title)

export default function AdministrationUser() {
  const text = useAdministrationText('administrationUser')
  const { roles, ...list } = useAdministrationText('administration')
  const { path, events, sessions, approvals, apiKeys, older, isFirst, mayRevoke, mayAct, mayImpersonate, ...user } =
    useLoaderData<typeof loader>()
  const result = useActionData<typeof action>()
  const failureOf = (intent: string) => (result?.error && result.typed.intent === intent ? result : undefined)
  const form = (intent: string) => {
    const failure = failureOf(intent)
    return {
      action: path,
      intent,
      failure,
      remedy: reauthenticateLink(failure?.error, { path: '/admin/confirm', redirectTo: path }),
    }
  }
  const shown = [
    ...(mayAct ? actIntents : []),
    ...(mayImpersonate ? ['impersonate'] : []),
    ...(mayAct ? apiKeys.map(({ id }) => `key:${id}`) : []),
    ...(mayAct ? approvals : []).flatMap(({ id }) => [`approve:${id}`, `reject:${id}`, `withdraw:${id}`]),
    ...(mayRevoke && sessions.length > 0 ? ['all', ...sessions.map(({ token }) => token)] : []),
  ]
  return (
    <>
      <p>
        <TextLink to="/admin">{text.back}</TextLink>
      </p>
      <Heading title={user.name || user.email}>{user.email}</Heading>
      <ResultAlert result={result} intents={shown} />
      {approvals.length > 0 && <UserApprovals approvals={approvals} mayAnswer={mayAct} form={form} />}
      <Card title={text.facts}>
        <Facts
          rows={[
            { name: text.id, value: user.id },
            {
              name: text.state,
              value: (
                <span className="flex flex-wrap gap-2">
                  <Status good={!user.banned}>{user.banned ? list.suspended : list.active}</Status>
                  {user.role !== 'user' && <Status good>{roles[user.role] ?? user.role}</Status>}
                  {!user.emailVerified && <Status good={false}>{list.unverified}</Status>}
                </span>
              ),
            },
            ...(user.suspendedUntil ? [{ name: text.suspendedUntil, value: <ExactMoment {...user.suspendedUntil} /> }] : []),
            { name: text.created, value: <Moment {...user.created} /> },
            {
              name: text.signIn,
              value:
                [
                  ...user.methods.map((name) => text.methods[name] ?? name),
                  ...(user.passkeys > 0 ? [text.passkeys(user.passkeys)] : []),
                ].join(', ') || text.noMethod,
            },
            { name: text.secondFactor, value: user.twoFactor ? text.on : text.off },
            { name: text.trading, value: user.trading ? text.on : text.off },
            ...(user.heldUntil ? [{ name: text.hold, value: <ExactMoment {...user.heldUntil} /> }] : []),
            ...(user.isLocked ? [{ name: text.lock, value: text.locked }] : []),
            {
              name: text.organizations,
              value: user.organizations.map(({ slug, role }) => `${slug} (${role})`).join(', ') || text.none,
            },
          ]}
        />
      </Card>
      <Card title={text.sessions}>
        {sessions.length === 0 ? (
          <p className="text-ink-soft">{text.noSessions}</p>
        ) : (
          <ul className="-mb-4 divide-y divide-line border-t border-line">
            {sessions.map(({ token, device, lastSeen }) => (
              <li key={token} className="grid gap-x-6 gap-y-3 py-4 @md:grid-cols-[1fr_auto] @md:items-start">
                <div className="grid min-w-0 gap-1.5">
                  <p className="flex flex-wrap items-center gap-3 font-semibold wrap-anywhere">
                    <DeviceIcon kind={device.kind} />
                    {device.name}
                  </p>
                  <dl className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-0.5 text-sm">
                    <Detail name={text.lastSeen}>
                      <Moment {...lastSeen} />
                    </Detail>
                    <Detail name={text.address}>{device.network || text.unknown}</Detail>
                  </dl>
                </div>
                {mayRevoke && (
                  <ConfirmButton
                    name={`end:${token}`}
                    label={text.end}
                    of={device.name}
                    title={text.endTitle(device.name)}
                    lead={text.endLead}
                    confirm={text.endConfirm}
                    form={form(token)}
                  />
                )}
              </li>
            ))}
          </ul>
        )}
        {mayRevoke && sessions.length > 0 && (
          <div className="mt-4">
            <ConfirmButton
              name="all"
              label={text.endAll}
              title={text.endAllTitle(user.email)}
              lead={text.endAllLead}
              confirm={text.endAllConfirm}
              form={form('all')}
            />
          </div>
        )}
      </Card>
      <UserApiKeys apiKeys={apiKeys} mayDelete={mayAct} form={form} />
      <Card title={text.timeline}>
        {events.length === 0 ? (
          <p className="text-ink-soft">{text.noEvents}</p>
        ) : (
          <ol className="-mb-4 divide-y divide-line border-t border-line">
            {events.map(({ id, what, succeeded, reason, actor, address, when }) => (
              <li key={id} className="grid min-w-0 gap-0.5 py-3 wrap-anywhere">
                <p className={`font-medium ${succeeded ? '' : 'text-danger'}`}>{what}</p>
                {reason && <p className="text-sm">{text.reasonOf(reason)}</p>}
                <p className="text-sm text-ink-soft">
                  {[succeeded ? '' : text.failed, actor === null ? '' : text.by(actor), address].filter(Boolean).join(' · ')}
                </p>
                <p className="text-sm text-ink-soft">
                  <Moment {...when} />
                </p>
              </li>
            ))}
          </ol>
        )}
        <OlderNewer
          newest={isFirst ? null : { to: path, label: text.newest }}
          older={older === null ? null : { to: `${path}?before=${older}`, label: text.older }}
        />
      </Card>
      {mayImpersonate && <OpenAccount email={user.email} form={form('impersonate')} />}
      {mayAct && <UserActs user={user} form={form} />}
    </>
  )
}
