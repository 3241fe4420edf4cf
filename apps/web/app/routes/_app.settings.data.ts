import { redirect } from '@remix-run/node'
import { tryCall, withApi } from '#app/api.server.ts'
import { withTarget } from '#app/redirect-target.ts'

/** A file, not a page: the page that links here shows the errors. */
export const loader = withApi(async ({ api, page }) => {
  const { answer, refusal } = await tryCall(api.profile.exportData(), page.locale)
  if (refusal?.key === 'SESSION_NOT_FRESH') throw redirect(withTarget('/reauthenticate', '/settings/danger'))
  if (refusal) throw redirect(refusal.key === 'UNAUTHORIZED' ? '/settings/danger' : `/settings/danger?refused=${refusal.key}`)
  const day = answer.exportedAt.toISOString().slice(0, 10)
  const name = page.appName.toLowerCase().replace(/[^a-z0-9]+/g, '-')
  return new Response(`${JSON.stringify(answer, null, 2)}\n`, {
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Disposition': `attachment; filename="${name}-data-${day}.json"`,
    },
  })
})
