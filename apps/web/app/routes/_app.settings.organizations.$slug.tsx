import { fieldLengths, may, organizationLimits, type Role, rolesUpTo } from '@floorpass/api/contracts'
import { redirect } from '@remix-run/node'
import { type MetaFunction, useActionData, useLoaderData } from '@remix-run/react'
import { FieldError, tryCall, withApi, withApiForm } from '#app/api.server.ts'
import { Alert } from '#app/components/alert.tsx'
import { SubmitButton } from '#app/components/button.tsx'
import { Card } from '#app/components/card.tsx'
import { Field } from '#app/components/field.tsx'
import { FormErrors } from '#app/components/form-errors.tsx'
import { InvitationRow } from '#app/components/invitation-row.tsx'
import { MemberRow } from '#app/components/member-row.tsx'
import { OrganizationDetailsForm } from '#app/components/organization-details-form.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import { ReauthenticationGate, reauthenticateLink } from '#app/components/reauthentication-gate.tsx'
import { Select } from '#app/components/select.tsx'
import { TextLink } from '#app/components/text-link.tsx'
import { momentText } from '#app/moment-text.server.ts'
import { getNotice } from '#app/notice.ts'
import { roleName, roleOptions } from '#app/organization-roles.ts'
import { pageTitle } from '#app/page-title.ts'
import { useText } from '#app/text.ts'

export const loader = withApi(async ({ api, page, params, url, text, notices }) => {
  const { user, isReauthenticated } = await api.sessions.require()
  const { answer: shown } = await tryCall(api.organizations.get({ organizationSlug: params.slug ?? '' }), page.locale)
  const own = shown?.members.find(({ userId }) => userId === user.id)
  if (!shown || !own) throw new Response('Not Found', { status: 404 })
  const role = own.role as Role
  const reaches = (other: string) => rolesUpTo(role).some((known) => known === other)
  const now = new Date()
  return {
    id: shown.id,
    name: shown.name,
    slug: shown.slug,
    role: roleName(role, text),
    isAccepted: own.acceptedAt !== null,
    givable: roleOptions(rolesUpTo(role), text),
    mayUpdate: may(role, 'organization', 'update'),
    mayDelete: may(role, 'organization', 'delete'),
    isReauthenticated,
    mayInvite: may(role, 'invitation', 'create'),
    members: shown.members.map((member) => ({
      id: member.id,
      name: member.user.name,
      email: member.user.email,
      role: member.role,
      roleName: roleName(member.role, text),
      isAccepted: member.acceptedAt !== null,
      isYou: member.userId === user.id,
      mayChange: may(role, 'member', 'update') && reaches(member.role),
      mayRemove: may(role, 'member', 'delete') && reaches(member.role) && member.userId !== user.id,
    })),
    invitations: shown.invitations
      .filter(({ status, expiresAt }) => status === 'pending' && expiresAt > now)
      .map(({ id, email, role: invitedRole, expiresAt }) => ({
        id,
        email,
        role: invitedRole,
        roleName: roleName(invitedRole, text),
        until: momentText(expiresAt, page.locale),
      })),
    lengths: fieldLengths,
    invitationHours: organizationLimits.invitationLifetime / 3600,
    notice: getNotice(url, notices.organization),
  }
})

/** The intent is what to do, and to whom where it is about one row: `role:<member>`. */
export const action = withApiForm(
  ['intent', 'name', 'shown-name', 'slug', 'shown-slug', 'email', 'role'],
  async ({ api, params, field, text }) => {
    const { organizations } = api
    const organizationId = field('organizationId')
    const [verb = '', id = ''] = field('intent').split(':')
    const done = { done: text.organization.done[verb as keyof typeof text.organization.done] ?? '' }
    switch (verb) {
      case 'update': {
        // Unchanged fields are not sent: another member may have changed them meanwhile.
        const changed = ['name', 'slug'].filter((name) => field(name) !== field(`shown-${name}`))
        const data = Object.fromEntries(changed.map((name) => [name, field(name)]))
        const { slug } = await organizations.update({ organizationId, data })
        if (slug !== params.slug) throw redirect(`/settings/organizations/${slug}?notice=update`)
        return done
      }
      case 'role':
        await organizations.updateMemberRole({ organizationId, memberId: id, role: field('role') })
        return done
      case 'remove':
        await organizations.removeMember({ organizationId, memberIdOrEmail: id })
        return done
      case 'invite':
      case 'resend':
        await organizations.invite({
          organizationId,
          email: field('email').trim(),
          role: field('role'),
          resend: verb === 'resend',
        })
        return done
      case 'cancel':
        await organizations.cancelInvitation({ invitationId: id })
        return done
      case 'accept':
        await organizations.acceptMembership({ organizationId })
        return done
      case 'leave':
        await organizations.leave({ organizationId })
        throw redirect('/settings/organizations?notice=left')
      case 'delete': {
        // Of the one that goes: the address of the page may be another's by now.
        const named = await organizations.get({ organizationId })
        if (field('confirmation').trim().toLowerCase() !== named?.slug)
          throw new FieldError('confirmation', text.organization.confirmationWrong)
        await organizations.delete({ organizationId })
        throw redirect('/settings/organizations?notice=deleted')
      }
      default:
        throw new Response('Bad Request', { status: 400 })
    }
  },
)

export { clientAction } from '#app/client-action.ts'

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, (text) => text.organization.title)

export default function OrganizationSettings() {
  const text = useText('organization')
  const organization = useLoaderData<typeof loader>()
  const { id, name, slug, lengths, notice, members, invitations } = organization
  const result = useActionData<typeof action>()
  const form = (intent: string) => ({
    action: `/settings/organizations/${slug}`,
    intent,
    failure: result?.error && result.typed.intent === intent ? result : undefined,
    remedy: result?.error && reauthenticateLink(result.error),
  })
  const shown = [
    ...(organization.mayUpdate ? ['update'] : []),
    ...members.flatMap(({ id: memberId, mayChange, mayRemove }) => [
      ...(mayChange ? [`role:${memberId}`] : []),
      ...(mayRemove ? [`remove:${memberId}`] : []),
    ]),
    ...(organization.mayInvite ? ['invite'] : []),
    ...invitations.flatMap((invitation) => [`resend:${invitation.id}`, `cancel:${invitation.id}`]),
    ...(organization.isAccepted ? [] : ['accept']),
    'leave',
    ...(organization.mayDelete ? ['delete'] : []),
  ]
  // The row or the card that was sent may be gone by now: then nothing but this says what became of it.
  const formlessError = result?.error && !shown.includes(result.typed.intent ?? '') ? result.error : undefined
  const hidden = <input type="hidden" name="organizationId" value={id} />
  return (
    <>
      <Card title={name}>
        {notice && !result && <Alert look="success">{notice}</Alert>}
        {formlessError && <FormErrors error={{ ...formlessError, fields: {} }} remedy={reauthenticateLink(formlessError)} />}
        {result && !result.error && (
          <Alert key={`${members.length}-${invitations.length}-${organization.isAccepted}`} look="success" landing>
            {result.done}
          </Alert>
        )}
        <p className="wrap-anywhere text-ink-soft">
          {text.yours} {organization.role} · {slug}
        </p>
        {organization.mayUpdate && (
          <OrganizationDetailsForm name={name} slug={slug} lengths={lengths} form={form} hidden={hidden} />
        )}
        <p>
          <TextLink to="/settings/organizations">{text.all}</TextLink>
        </p>
      </Card>
      {!organization.isAccepted && (
        <Card title={text.addedTitle}>
          <p className="text-ink-soft">{text.addedLead}</p>
          <PageForm {...form('accept')}>
            {hidden}
            <div>
              <SubmitButton>{text.accept}</SubmitButton>
            </div>
          </PageForm>
        </Card>
      )}
      <Card title={text.membersTitle}>
        <ul className="-mb-4 divide-y divide-line border-t border-line">
          {members.map((member) => (
            <MemberRow
              key={`${member.id}-${member.role}`}
              {...member}
              givable={organization.givable}
              form={form}
              hidden={hidden}
            />
          ))}
        </ul>
      </Card>
      {organization.mayInvite && (
        <Card title={text.inviteTitle}>
          <p className="text-ink-soft">{text.inviteLead(organization.invitationHours)}</p>
          <PageForm {...form('invite')}>
            {hidden}
            <Field name="email" type="email" label={text.email} inputMode="email" autoComplete="off" />
            <Select name="role" label={text.role} defaultValue="member" options={organization.givable} />
            <div>
              <SubmitButton>{text.invite}</SubmitButton>
            </div>
          </PageForm>
        </Card>
      )}
      {invitations.length > 0 && (
        <Card title={text.openTitle}>
          <ul className="-mb-4 divide-y divide-line border-t border-line">
            {invitations.map((invitation) => (
              <InvitationRow key={invitation.id} {...invitation} form={form} hidden={hidden} />
            ))}
          </ul>
        </Card>
      )}
      <Card title={text.leaveTitle}>
        <p className="text-ink-soft">{text.leaveLead}</p>
        <PageForm {...form('leave')}>
          {hidden}
          <div>
            <SubmitButton look="secondary">{text.leave}</SubmitButton>
          </div>
        </PageForm>
      </Card>
      {organization.mayDelete && (
        <Card title={text.deleteTitle} danger>
          <p className="text-ink-soft">{text.deleteLead}</p>
          {organization.isReauthenticated || form('delete').failure ? (
            <PageForm {...form('delete')}>
              {hidden}
              <Field name="confirmation" label={text.confirmation} hint={slug} autoComplete="off" />
              <div>
                <SubmitButton look="danger">{text.delete}</SubmitButton>
              </div>
            </PageForm>
          ) : (
            <ReauthenticationGate>{text.deleteGate}</ReauthenticationGate>
          )}
        </Card>
      )}
    </>
  )
}
