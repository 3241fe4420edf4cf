import type { Api, OrganizationAction } from '@floorpass/api'
import type { PageContext } from '@floorpass/functions'
import { momentText } from '#app/moment-text.server.ts'
import { roleName } from '#app/organization-roles.ts'
import { serverTextIn } from '#app/text.server.ts'
import { textIn } from '#app/text.ts'

type Event = Awaited<ReturnType<Api['organizations']['listActivity']>>['events'][number]

/** An event of an organization as a sentence: who did what to whom. */
export function describeOrganizationActivity(
  { id, action, actor, member, invitedEmail, details, createdAt }: Event,
  page: PageContext,
) {
  const { organizationActivity, unnamed } = serverTextIn(page.locale)
  const role = (value: unknown) => roleName(String(value ?? ''), textIn(page.locale))
  const describe = organizationActivity[action as OrganizationAction]
  return {
    id,
    what: describe({
      actor: actor?.name ?? unnamed.actor,
      member: member?.name ?? unnamed.member,
      invited: invitedEmail ?? unnamed.invited,
      role: role(details.role),
      from: role(details.from),
      to: role(details.to),
      apiKey: String(details.key ?? ''),
      // A member may lower their own role or remove themselves.
      isOwn: actor !== null && actor.id === member?.id,
    }),
    when: momentText(createdAt, page.locale),
  }
}
