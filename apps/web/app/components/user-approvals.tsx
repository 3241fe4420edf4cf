import type { ComponentProps } from 'react'
import { useAdministrationText } from '#app/administration-text.ts'
import { Card } from '#app/components/card.tsx'
import { ConfirmButton } from '#app/components/confirm-button.tsx'
import { ExactMoment } from '#app/components/moment.tsx'

type Approval = {
  id: string
  action: string
  role: string | null
  clearPassword: boolean
  reason: string
  requester: string
  isMine: boolean
  expires: ComponentProps<typeof ExactMoment>
}

type UserApprovalsProps = {
  approvals: Approval[]
  mayAnswer: boolean
  form: (intent: string) => ComponentProps<typeof ConfirmButton>['form']
}

/** What another administrator wants to do to this user. */
export function UserApprovals({ approvals, mayAnswer, form }: UserApprovalsProps) {
  const { asked, ...text } = useAdministrationText('administrationApproval')
  const { reasonOf } = useAdministrationText('administrationUser')
  return (
    <Card title={text.title}>
      <p className="text-ink-soft">{text.lead}</p>
      <ul className="-mb-4 divide-y divide-line border-t border-line">
        {approvals.map(({ id, action, role, clearPassword, reason, requester, isMine, expires }) => {
          const what = `${asked[action]?.(requester, role) ?? action}${clearPassword ? ` ${text.clearPassword}` : ''}`
          return (
            <li key={id} className="grid gap-x-6 gap-y-3 py-4 @md:grid-cols-[1fr_auto] @md:items-start">
              <div className="grid min-w-0 gap-0.5 wrap-anywhere">
                <p className="font-medium">{what}</p>
                <p className="text-sm">{reasonOf(reason)}</p>
                <p className="text-sm text-ink-soft">
                  {text.expires} <ExactMoment {...expires} />
                </p>
              </div>
              {mayAnswer && (
                <div className="flex flex-wrap gap-3">
                  {!isMine && (
                    <ConfirmButton
                      name={`approve:${id}`}
                      label={text.approve}
                      of={what}
                      title={text.approveTitle}
                      lead={what}
                      confirm={text.approveConfirm}
                      form={form(`approve:${id}`)}
                    />
                  )}
                  <ConfirmButton
                    name={isMine ? `withdraw:${id}` : `reject:${id}`}
                    label={isMine ? text.withdraw : text.reject}
                    of={what}
                    title={isMine ? text.withdrawTitle : text.rejectTitle}
                    lead={text.rejectLead}
                    confirm={isMine ? text.withdrawConfirm : text.rejectConfirm}
                    form={form(isMine ? `withdraw:${id}` : `reject:${id}`)}
                  />
                </div>
              )}
            </li>
          )
        })}
      </ul>
    </Card>
  )
}
