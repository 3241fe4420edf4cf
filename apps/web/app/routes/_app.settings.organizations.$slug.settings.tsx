import { fieldLengths } from '@floorpass/api/contracts'
import { redirect } from '@remix-run/node'
import { type MetaFunction, useActionData, useLoaderData } from '@remix-run/react'
import { FieldError, withApi, withApiForm } from '#app/api.server.ts'
import { Alert } from '#app/components/alert.tsx'
import { Card } from '#app/components/card.tsx'
import { ConfirmButton } from '#app/components/confirm-button.tsx'
import { Field } from '#app/components/field.tsx'
import { OrganizationDetailsForm } from '#app/components/organization-details-form.tsx'
import { ReauthenticationGate } from '#app/components/reauthentication-gate.tsx'
import { ResultAlert } from '#app/components/result-alert.tsx'
import { TextLink } from '#app/components/text-link.tsx'
import { getNotice } from '#app/notice.ts'
import { organizationForms, pathOfOrganization } from '#app/organization-forms.tsx'
import { loadOrganization } from '#app/organization-page.server.ts'
import { pageTitle } from '#app/page-title.ts'
import { useText } from '#app/text.ts'

export const loader = withApi(async (args) => {
  const { organization, isReauthenticated } = await loadOrganization(args)
  return { ...organization, isReauthenticated, lengths: fieldLengths, notice: getNotice(args.url, args.notices.organization) }
})

export const action = withApiForm(
  ['intent', 'name', 'shown-name', 'slug', 'shown-slug'],
  async ({ api: { organizations }, params, field, text }) => {
    const organizationId = field('organizationId')
    switch (field('intent')) {
      case 'update': {
        // Unchanged fields are not sent: another member may have changed them meanwhile.
        const changed = ['name', 'slug'].filter((name) => field(name) !== field(`shown-${name}`))
        const data = Object.fromEntries(changed.map((name) => [name, field(name)]))
        const { slug } = await organizations.update({ organizationId, data })
        if (slug !== params.slug) throw redirect(`${pathOfOrganization(slug, 'settings')}?notice=update`)
        return { done: text.organization.done.update }
      }
      case 'leave':
        await organizations.leave({ organizationId })
        throw redirect('/settings/organizations?notice=left')
      case 'delete': {
        // By id: the short name in the address may belong to another organization by now.
        const named = await organizations.getAlone({ organizationId })
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

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, (text) => text.organization.settingsTitle)

export default function OrganizationSettings() {
  const text = useText('organization')
  const { id, name, slug, lengths, notice, isReauthenticated, mayUpdate, mayDelete } = useLoaderData<typeof loader>()
  const result = useActionData<typeof action>()
  const { form, hidden } = organizationForms(id, pathOfOrganization(slug, 'settings'), result)
  const intents = ['leave', ...(mayUpdate ? ['update'] : []), ...(mayDelete ? ['delete'] : [])]
  return (
    <>
      {notice && !result && <Alert look="success">{notice}</Alert>}
      <ResultAlert result={result} intents={intents} />
      {mayUpdate && (
        <Card title={text.detailsTitle}>
          <OrganizationDetailsForm name={name} slug={slug} lengths={lengths} form={form} hidden={hidden} />
        </Card>
      )}
      {mayDelete && (
        <Card title={text.ownershipTitle}>
          <p className="text-pretty text-ink-soft">{text.ownershipLead}</p>
          <p>
            <TextLink to={pathOfOrganization(slug, 'members')}>{text.chooseOwner}</TextLink>
          </p>
        </Card>
      )}
      <Card title={text.leaveTitle}>
        <p className="text-ink-soft">{text.leaveLead}</p>
        <div>
          <ConfirmButton
            name="leave"
            label={text.leave}
            title={text.leaveQuestion(name)}
            lead={text.leaveLead}
            confirm={text.leaveConfirm(name)}
            form={form('leave')}
          >
            {hidden}
          </ConfirmButton>
        </div>
      </Card>
      {mayDelete && (
        <Card title={text.deleteTitle} danger>
          <p className="text-ink-soft">{text.deleteLead}</p>
          {isReauthenticated || form('delete').failure ? (
            <div>
              <ConfirmButton
                name="delete"
                look="danger"
                label={text.delete}
                title={text.deleteQuestion(name)}
                lead={text.deleteLead}
                confirm={text.deleteConfirm(name)}
                form={form('delete')}
              >
                {hidden}
                <Field name="confirmation" label={text.confirmation} hint={slug} autoComplete="off" />
              </ConfirmButton>
            </div>
          ) : (
            <ReauthenticationGate>{text.deleteGate}</ReauthenticationGate>
          )}
        </Card>
      )}
    </>
  )
}
