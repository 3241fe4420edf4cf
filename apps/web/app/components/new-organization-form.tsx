import type { fieldLengths } from '@floorpass/api/contracts'
import { type ComponentProps, type FormEvent, useRef } from 'react'
import { SubmitButton } from '#app/components/button.tsx'
import { Field } from '#app/components/field.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import { slugFromName } from '#app/slug-from-name.ts'
import { useText } from '#app/text.ts'

type NewOrganizationFormProps = { lengths: typeof fieldLengths; form: Omit<ComponentProps<typeof PageForm>, 'children'> }

/** The short name follows the name until the person types another one. Left empty, it is derived by the server. */
export function NewOrganizationForm({ lengths, form }: NewOrganizationFormProps) {
  const text = useText('organizations')
  const derived = useRef('')

  function followName({ currentTarget: { form, value } }: FormEvent<HTMLInputElement>): void {
    const slug = form?.elements.namedItem('slug')
    if (!(slug instanceof HTMLInputElement) || ![derived.current, ''].includes(slug.value)) return
    derived.current = slugFromName(value, lengths.slug)
    slug.value = derived.current
  }

  return (
    <PageForm {...form}>
      <Field name="name" label={text.name} maxLength={lengths.name} autoComplete="off" onInput={followName} />
      <Field
        name="slug"
        label={text.slug}
        hint={text.slugHint}
        maxLength={lengths.slug}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        required={false}
      />
      <div>
        <SubmitButton>{text.create}</SubmitButton>
      </div>
    </PageForm>
  )
}
