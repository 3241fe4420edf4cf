import { defaultLocale } from '@floorpass/languages/locales'
import type { MetaDescriptor } from '@remix-run/react'
import { type Locale, type Text, textIn } from '#app/text.ts'

type Match = { id: string; data: unknown }

/** "Sign in · Floorpass", in the person's language, with the configured name. */
export function pageTitle(matches: readonly Match[], titleIn: (text: Text) => string): MetaDescriptor[] {
  const root = matches.find((match) => match.id === 'root')?.data as { appName: string; locale: Locale } | undefined
  const title = titleIn(textIn(root?.locale ?? defaultLocale))
  return [{ title: root ? `${title} · ${root.appName}` : title }]
}
