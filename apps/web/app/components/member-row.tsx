import { Avatar } from '#app/components/avatar.tsx'
import { SubmitButton } from '#app/components/button.tsx'
import { ConfirmButton } from '#app/components/confirm-button.tsx'
import { MailAddress } from '#app/components/mail-address.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import { Select } from '#app/components/select.tsx'
import type { OrganizationForms } from '#app/organization-forms.tsx'
import type { roleOptions } from '#app/organization-roles.ts'
import { useText } from '#app/text.ts'

type MemberRowProps = OrganizationForms & {
  id: string
  name: string
  email: string
  picture: string | null
  role: string
  roleName: string
  isAccepted: boolean
  isYou: boolean
  mayChange: boolean
  mayRemove: boolean
  givable: ReturnType<typeof roleOptions>
}

export function MemberRow(member: MemberRowProps) {
  const text = useText('organization')
  const { id, name, email, picture, role, roleName, isAccepted, isYou, mayChange, mayRemove, givable, form, hidden } = member
  const roles = givable.filter(({ value }) => value !== 'owner' || role === 'owner')
  return (
    <li className="grid gap-3 py-4">
      <div className="flex min-w-0 items-start gap-3">
        <Avatar name={name} picture={picture} />
        <div className="grid min-w-0 gap-0.5 wrap-anywhere">
          <p className="flex flex-wrap gap-x-3 font-semibold">
            {name}
            {isYou && <span className="font-normal text-ink-soft">{text.you}</span>}
          </p>
          <p className="text-sm text-ink-soft">
            <MailAddress>{email}</MailAddress>
          </p>
          {!mayChange && <p className="text-sm">{roleName}</p>}
          {!isAccepted && <p className="text-sm">{text.notAccepted}</p>}
        </div>
      </div>
      <div className="flex flex-wrap items-start gap-3 @md:pl-12">
        {mayChange && (
          <PageForm {...form(`role:${id}`)} className="flex flex-wrap items-start gap-3">
            {hidden}
            <Select name="role" id={`role-${id}`} label={text.roleOf(name)} quietLabel defaultValue={role} options={roles} />
            <SubmitButton look="secondary">
              {text.changeRole}
              <span className="sr-only">{name}</span>
            </SubmitButton>
          </PageForm>
        )}
        {mayChange && roles.length < givable.length && (
          <ConfirmButton
            name={`owner:${id}`}
            label={text.makeOwner}
            of={name}
            title={text.makeOwnerTitle(name)}
            lead={text.makeOwnerLead}
            confirm={text.makeOwnerConfirm(name)}
            form={form(`owner:${id}`)}
          >
            {hidden}
          </ConfirmButton>
        )}
        {mayRemove && (
          <ConfirmButton
            name={`remove:${id}`}
            label={text.remove}
            of={name}
            title={text.removeTitle(name)}
            lead={text.removeLead}
            confirm={text.removeConfirm(name)}
            form={form(`remove:${id}`)}
          >
            {hidden}
          </ConfirmButton>
        )}
      </div>
    </li>
  )
}
