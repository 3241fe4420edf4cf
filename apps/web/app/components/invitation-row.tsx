import type { ComponentProps } from 'react'
import { SubmitButton } from '#app/components/button.tsx'
import { ConfirmButton } from '#app/components/confirm-button.tsx'
import { MailAddress } from '#app/components/mail-address.tsx'
import { ExactMoment, Moment } from '#app/components/moment.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import type { OrganizationForms } from '#app/organization-forms.tsx'
import { useText } from '#app/text.ts'

type InvitationRowProps = OrganizationForms & {
  id: string
  email: string
  role: string
  roleName: string
  sent: ComponentProps<typeof Moment>
  until: ComponentProps<typeof ExactMoment>
}

export function InvitationRow(invitation: InvitationRowProps) {
  const text = useText('organization')
  const { id, email, role, roleName, sent, until, form, hidden } = invitation
  return (
    <li className="grid gap-x-6 gap-y-3 py-4 @xl:grid-cols-[1fr_auto] @xl:items-center has-data-form-errors:grid-cols-1">
      <div className="grid min-w-0 gap-0.5 wrap-anywhere">
        <p className="font-semibold">
          <MailAddress>{email}</MailAddress>
        </p>
        <p className="text-sm">{roleName}</p>
        <p className="text-sm text-ink-soft">
          {text.sent} <Moment {...sent} />
        </p>
        <p className="text-sm text-ink-soft">
          {text.until} <ExactMoment {...until} />
        </p>
      </div>
      <div className="flex flex-wrap items-start gap-3">
        <PageForm {...form(`resend:${id}`)} className="grid gap-3">
          {hidden}
          <input type="hidden" name="email" value={email} />
          <input type="hidden" name="role" value={role} />
          <SubmitButton look="secondary">
            {text.resend}
            <span className="sr-only">{email}</span>
          </SubmitButton>
        </PageForm>
        <ConfirmButton
          name={`cancel:${id}`}
          label={text.cancel}
          of={email}
          title={text.cancelTitle}
          lead={text.cancelLead(email)}
          confirm={text.cancelConfirm}
          form={form(`cancel:${id}`)}
        >
          {hidden}
        </ConfirmButton>
      </div>
    </li>
  )
}
