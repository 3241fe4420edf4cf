import type { fieldLengths } from '@floorpass/api/contracts'
import { SubmitButton } from '#app/components/button.tsx'
import { Field } from '#app/components/field.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import type { OrganizationForms } from '#app/organization-forms.tsx'
import { useText } from '#app/text.ts'

type OrganizationDetailsFormProps = OrganizationForms & { name: string; slug: string; lengths: typeof fieldLengths }

export function OrganizationDetailsForm({ name, slug, lengths, form, hidden }: OrganizationDetailsFormProps) {
  const text = useText('organization')
  const update = form('update')
  return (
    <PageForm {...update}>
      {hidden}
      <input type="hidden" name="shown-name" value={update.failure?.typed['shown-name'] ?? name} />
      <input type="hidden" name="shown-slug" value={update.failure?.typed['shown-slug'] ?? slug} />
      <Field name="name" label={text.name} defaultValue={name} maxLength={lengths.name} autoComplete="off" />
      <Field name="slug" label={text.slug} hint={text.slugHint} defaultValue={slug} maxLength={lengths.slug} autoComplete="off" />
      <div>
        <SubmitButton>{text.save}</SubmitButton>
      </div>
    </PageForm>
  )
}
