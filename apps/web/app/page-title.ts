import type { MetaDescriptor } from '@remix-run/react'

type Match = { id: string; data: unknown }

/** "Sign in · Floorpass", with the configured name. */
export function pageTitle(matches: readonly Match[], title: string): MetaDescriptor[] {
  const root = matches.find((match) => match.id === 'root')?.data as { appName: string } | undefined
  return [{ title: root ? `${title} · ${root.appName}` : title }]
}
