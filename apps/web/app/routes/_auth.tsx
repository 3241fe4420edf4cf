import { Outlet } from '@remix-run/react'
import { Brand } from '#app/components/brand.tsx'
import { LanguageSwitch } from '#app/components/language-switch.tsx'
import { StepLine } from '#app/components/step-line.tsx'
import { useText } from '#app/text.ts'

/** The frame of the sign-in and sign-up pages. */
export default function AuthFrame() {
  const text = useText('authFrame')
  return (
    <div className="grid grow lg:grid-cols-[minmax(min(22rem,35vw),5fr)_7fr]">
      <header className="hidden bg-panel text-panel-ink lg:block">
        <div className="sticky top-0 flex min-h-dvh flex-col justify-between gap-12 p-10 xl:p-14">
          <Brand className="self-start text-panel-ink" />
          <p className="max-w-sm text-3xl leading-snug font-semibold tracking-tight text-balance">{text.aside}</p>
          <StepLine className="text-panel-line" />
        </div>
      </header>
      <div className="flex flex-col bg-surface px-5 pt-6 sm:px-8 lg:pt-12">
        <header className="lg:hidden">
          <Brand />
        </header>
        <main id="main" tabIndex={-1} className="mx-auto grid w-full max-w-md grow content-start gap-7 py-10 lg:pt-[10vh]">
          <Outlet />
        </main>
        <LanguageSwitch />
      </div>
    </div>
  )
}
