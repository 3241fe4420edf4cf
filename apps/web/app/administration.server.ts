import { type Api, type AuditAction, policy, toAppError } from '@floorpass/api'
import { mostFound } from '@floorpass/api/administration'
import type { PageContext } from '@floorpass/functions'
import { data, redirect } from '@remix-run/node'
import { withApi } from '#app/api.server.ts'
import { momentText } from '#app/moment-text.server.ts'
import { withTarget } from '#app/redirect-target.ts'
import { serverTextIn } from '#app/text.server.ts'

type Handler<Result> = Parameters<typeof withApi<Result>>[0]

/** A loader for administrators. Without a recent proof it leads to the page that takes one, and back. */
export const withAdministration = <Result>(handler: Handler<Result>) =>
  withApi<Result>((args) =>
    handler(args).catch((thrown: unknown) => {
      if (thrown instanceof Response || toAppError(thrown).key !== 'SESSION_NOT_FRESH') throw thrown
      throw redirect(withTarget('/admin/confirm', args.url.pathname + args.url.search))
    }),
  )

/** Answers 404 when the address names something that does not exist. */
export function throwNotFound(thrown: unknown): never {
  const isMissing = ['USER_NOT_FOUND', 'ORGANIZATION_NOT_FOUND', 'WEBHOOK_NOT_FOUND', 'NOT_FOUND', 'VALIDATION_ERROR'].includes(
    toAppError(thrown).key,
  )
  throw isMissing ? data(null, { status: 404 }) : thrown
}

export const { exactCount } = policy.administration

/** Names the sentence for the number of users that `listUsers` answers. */
export function describeCount(number: number, { isSearch, isFiltered }: { isSearch: boolean; isFiltered: boolean }) {
  if (isSearch && number >= mostFound) return { words: 'first', number } as const
  if (number <= exactCount) return { words: 'found', number } as const
  return isFiltered ? ({ words: 'more', number: exactCount } as const) : ({ words: 'about', number } as const)
}

type Event = Awaited<ReturnType<Api['administration']['listAuditEvents']>>['events'][number]

export function describeEvent(
  { id, userId, action, succeeded, actorId, ipAddress, details, createdAt }: Event,
  page: PageContext,
) {
  const { activity, activityFailed } = serverTextIn(page.locale)
  const known = action as AuditAction
  const { reason } = (details ?? {}) as { reason?: unknown }
  return {
    id,
    what: (succeeded ? undefined : activityFailed[known]) ?? activity[known] ?? action,
    succeeded,
    reason: typeof reason === 'string' ? reason : null,
    actor: actorId === userId ? null : actorId,
    address: ipAddress,
    when: momentText(createdAt, page.locale),
  }
}
