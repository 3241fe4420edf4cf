import { redirect } from '@remix-run/node'
import { filterQuery, readActivityFilter } from '#app/activity-filter.server.ts'
import { tryCall, withApi } from '#app/api.server.ts'
import { csvFile } from '#app/csv-file.server.ts'
import { describeActivity } from '#app/describe-activity.server.ts'
import { serverTextIn } from '#app/text.server.ts'

/** A file, not a page: the page that links here shows the errors. */
export const loader = withApi(async ({ api, page, url, text }) => {
  const { typed, filter, wrongDays } = readActivityFilter(url.searchParams)
  const back = filterQuery(typed)
  if (wrongDays.length > 0) throw redirect(`/settings/activity?${back}`)
  const { answer, refusal } = await tryCall(api.profile.exportActivity(filter), page.locale)
  if (refusal) {
    if (refusal.key !== 'UNAUTHORIZED') back.set('refused', refusal.key)
    throw redirect(`/settings/activity?${back}`)
  }
  const { columns } = serverTextIn(page.locale).activityFile
  const rows = answer.map((event) => {
    const { what, byAnother, device, ipAddress } = describeActivity(event, page)
    return [event.createdAt.toISOString(), what, byAnother ? text.activity.byAnother : device.name, ipAddress, device.place]
  })
  const name = page.appName.toLowerCase().replace(/[^a-z0-9]+/g, '-')
  return csvFile(`${name}-activity`, [columns, ...rows])
})
