import type { ComponentProps } from 'react'
import { useAdministrationText } from '#app/administration-text.ts'
import { Card } from '#app/components/card.tsx'
import { Checkbox } from '#app/components/checkbox.tsx'
import { ConfirmButton } from '#app/components/confirm-button.tsx'
import { Field } from '#app/components/field.tsx'
import { Select } from '#app/components/select.tsx'

type UserActsProps = {
  user: { name: string; email: string; role: string; banned: boolean; twoFactor: boolean }
  form: (intent: string) => ComponentProps<typeof ConfirmButton>['form']
}

export const actIntents = ['profile', 'role', 'password', 'twoFactor', 'suspend', 'restore', 'remove'] as const

/** What an administrator may do to a user, each with its question. */
export function UserActs({ user: { name, email, role, banned, twoFactor }, form }: UserActsProps) {
  const { reason, reasonHint, ...text } = useAdministrationText('administrationActs')
  const { roles } = useAdministrationText('administration')
  const reasonField = (intent: string) => (
    <Field id={`${intent}-reason`} name="reason" label={reason} hint={reasonHint} maxLength={500} autoComplete="off" />
  )
  return (
    <Card title={text.title}>
      <p className="text-ink-soft">{text.lead}</p>
      <div className="flex flex-wrap gap-3">
        <ConfirmButton {...text.profile} name="profile" form={form('profile')}>
          <Field id="profile-name" name="name" label={text.profile.name} defaultValue={name} autoComplete="off" />
          <Field
            id="profile-email"
            name="email"
            type="email"
            label={text.profile.email}
            defaultValue={email}
            autoComplete="off"
          />
          {reasonField('profile')}
        </ConfirmButton>
        <ConfirmButton {...text.role} name="role" title={text.role.title(email)} form={form('role')}>
          <Select
            name="role"
            label={text.role.name}
            defaultValue={role}
            options={['user', 'auditor', 'support', 'admin'].map((value) => ({ value, label: roles[value] ?? text.role.none }))}
          />
          {reasonField('role')}
        </ConfirmButton>
        <ConfirmButton {...text.password} name="password" title={text.password.title(email)} form={form('password')}>
          <Field name="newPassword" type="password" label={text.password.name} autoComplete="new-password" />
          {reasonField('password')}
        </ConfirmButton>
        {twoFactor && (
          <ConfirmButton {...text.twoFactor} name="twoFactor" title={text.twoFactor.title(email)} form={form('twoFactor')}>
            {reasonField('twoFactor')}
          </ConfirmButton>
        )}
        {banned ? (
          <ConfirmButton {...text.restore} name="restore" title={text.restore.title(email)} form={form('restore')}>
            {reasonField('restore')}
            <Checkbox name="clearPassword" label={text.restore.clear} />
          </ConfirmButton>
        ) : (
          <ConfirmButton {...text.suspend} name="suspend" title={text.suspend.title(email)} look="danger" form={form('suspend')}>
            <Select
              name="banExpiresIn"
              label={text.suspend.until}
              defaultValue=""
              options={Object.entries(text.suspend.lengths).map(([value, label]) => ({ value, label }))}
            />
            <Field name="banReason" label={reason} hint={reasonHint} maxLength={500} autoComplete="off" />
          </ConfirmButton>
        )}
        <ConfirmButton {...text.remove} name="remove" title={text.remove.title(email)} look="danger" form={form('remove')}>
          {reasonField('remove')}
        </ConfirmButton>
      </div>
    </Card>
  )
}
