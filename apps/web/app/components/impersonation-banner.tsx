import { SubmitButton } from '#app/components/button.tsx'
import { ExactMoment, type MomentWords } from '#app/components/moment.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import { useText } from '#app/text.ts'

/** Over every page, while an administrator has the account of this email open. */
export function ImpersonationBanner({ email, until }: { email: string; until: MomentWords }) {
  const text = useText('impersonation')
  return (
    <section aria-label={text.label} className="border-b-2 border-danger bg-danger-soft print:hidden">
      <div className="mx-auto flex max-w-5xl flex-wrap items-center gap-x-8 gap-y-3 px-5 py-3 sm:px-8">
        <p className="min-w-0 grow basis-64 wrap-anywhere">
          <strong className="font-semibold">{text.account(email)}</strong> {text.until} <ExactMoment {...until} />.
        </p>
        <PageForm action="/stop-impersonating" reloadDocument className="contents">
          <SubmitButton look="secondary">{text.stop}</SubmitButton>
        </PageForm>
      </div>
    </section>
  )
}
