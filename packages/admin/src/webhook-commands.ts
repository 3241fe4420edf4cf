import { defaultLocale, policy } from '@floorpass/api'
import {
  createWebhook,
  dropWebhook,
  expandTypes,
  findDeliveries,
  findWebhooks,
  findWebhookUrlProblem,
  pauseWebhook,
  type ReplayRange,
  replayEvents,
  replayFailed,
  resumeWebhook,
  rotateWebhook,
  type WebhookSecrets,
} from '@floorpass/api/administration'
import { emailAddress, locale as localeField } from '@floorpass/api/contracts'
import {
  type Arguments,
  assertNoPositional,
  type Command,
  defineCommand,
  getOnlyPositional,
  type Outcome,
  parseNumber,
  parseTime,
} from './arguments.ts'
import { formatTable } from './print.ts'
import { usageError } from './problem.ts'

const overlapHours = policy.webhooks.keyOverlap / 3600
const statuses = ['waiting', 'delivered', 'failed']

const { exactCount } = policy.administration
const describeWaiting = (count: number): string => (count > exactCount ? `More than ${exactCount}` : String(count))

export const webhookCommands: Record<string, Command> = {
  'create-webhook': defineCommand({
    usage: 'create-webhook <url> --contact <email> [--types <a,b>] [--locale <language>] [--quiet]',
    summary: 'sends events to a URL and prints its secret once; without --types: all events (docs/events.md lists them)',
    options: ['contact', 'types', 'locale', 'quiet'],
    async run(operator, args) {
      const url = getOnlyPositional(args, 'url')
      const problem = findWebhookUrlProblem(operator, url)
      if (problem) throw usageError('The URL of the webhook is refused.', `${problem}.`, 'Give an https URL on a public address.')
      const webhook = { url, types: parseTypes(args), contact: parseContact(args), locale: parseLocale(args) }
      const created = await createWebhook(operator, webhook)
      return printSecrets(args, { ...webhook, ...created }, `The webhook ${created.id} gets ${describeTypes(webhook.types)}.`)
    },
  }),
  'list-webhooks': defineCommand({
    usage: 'list-webhooks',
    summary: 'lists the webhooks, their waiting deliveries, and which are paused',
    options: [],
    isRead: true,
    async run(operator, args) {
      assertNoPositional(args)
      const webhooks = await findWebhooks(operator)
      const rows = webhooks.map((webhook) => ({
        ...webhook,
        types: describeTypes(webhook.types),
        waiting: describeWaiting(webhook.waiting),
      }))
      const columns = [
        'id',
        'url',
        'types',
        'waiting',
        'failingSince',
        'pausedAt',
        'pauseReason',
        'contact',
        'publicKey',
      ] as const
      return { data: webhooks, text: formatTable(rows, columns, 'There are no webhooks. Create one with create-webhook.') }
    },
  }),
  'pause-webhook': defineCommand({
    usage: 'pause-webhook <id>',
    summary: 'stops the deliveries of a webhook; waiting ones stay queued',
    options: [],
    async run(operator, args) {
      const id = getOnlyPositional(args, 'id')
      const paused = await pauseWebhook(operator, id)
      return { data: { id, paused }, text: paused ? `The webhook ${id} is paused.` : `The webhook ${id} was paused already.` }
    },
  }),
  'resume-webhook': defineCommand({
    usage: 'resume-webhook <id>',
    summary: 'starts the deliveries of a paused webhook again, and says how many events it missed',
    options: [],
    async run(operator, args) {
      const id = getOnlyPositional(args, 'id')
      const resumed = await resumeWebhook(operator, id)
      if (!resumed) return { data: { id, resumed: false }, text: `The webhook ${id} was not paused.` }
      const { missed, after } = resumed
      const advice = `To send them: npm run admin -- replay-webhook ${id} --after ${after}`
      return {
        data: { id, resumed: true, missed, after },
        text: `The webhook ${id} gets events again. It missed ${missed} events during the pause.${missed > 0 ? `\n${advice}` : ''}`,
      }
    },
  }),
  'rotate-webhook': defineCommand({
    usage: 'rotate-webhook <id> [--now] [--quiet]',
    summary: `prints a new secret once; the old keys keep signing for ${overlapHours} hours (--now: they stop at once)`,
    options: ['now', 'quiet'],
    async run(operator, args) {
      const id = getOnlyPositional(args, 'id')
      const { formerUntil, ...keys } = await rotateWebhook(operator, id, { now: args.flags.now ?? false })
      const former = formerUntil ? `The old keys keep signing until ${formerUntil.toISOString()}.` : 'The old keys have stopped.'
      return printSecrets(args, { id, ...keys, formerUntil }, `The webhook ${id} has new keys. ${former}`)
    },
  }),
  'drop-webhook': defineCommand({
    usage: 'drop-webhook <id>',
    summary: 'deletes a webhook with its queue and log',
    options: [],
    async run(operator, args) {
      const id = getOnlyPositional(args, 'id')
      const webhook = (await findWebhooks(operator)).find((one) => one.id === id)
      if (webhook)
        await args.confirm(
          id,
          `${webhook.url} gets no more events. ${describeWaiting(webhook.waiting)} waiting deliveries are deleted.`,
        )
      await dropWebhook(operator, id)
      return { data: { dropped: true }, text: `The webhook ${id} is deleted.` }
    },
  }),
  'list-deliveries': defineCommand({
    usage: 'list-deliveries <id> [--status waiting|delivered|failed] [--limit <n>]',
    summary: 'lists the newest deliveries of a webhook with the answers of its server',
    options: ['status', 'limit'],
    isRead: true,
    async run(operator, args) {
      const id = getOnlyPositional(args, 'id')
      const { status, limit } = args.flags
      if (status !== undefined && !statuses.includes(status))
        throw usageError('--status has an unknown value.', `It is one of: ${statuses.join(', ')}.`)
      const most = limit === undefined ? 50 : parseNumber('limit', limit, 1000)
      const rows = await findDeliveries(operator, id, { ...(status !== undefined && { status }), limit: most })
      const columns = ['event', 'type', 'status', 'attempts', 'answer', 'createdAt', 'nextAttemptAt', 'finishedAt'] as const
      return { data: rows, text: formatTable(rows, columns, 'There are no deliveries.') }
    },
  }),
  'replay-webhook': defineCommand({
    usage: 'replay-webhook <id> (--event <event> | --after <event> | --since <time> [--until <time>] | --failed)',
    summary: 'queues one event again, all after one, those of a period, or the failed ones; skips those already waiting',
    options: ['event', 'after', 'since', 'until', 'failed'],
    async run(operator, args) {
      const id = getOnlyPositional(args, 'id')
      const queued = args.flags.failed ? await replayFailed(operator, id) : await replayEvents(operator, id, parseRange(args))
      const none = 'No event was queued: none matches, its type is not sent to this webhook, or it waits already.'
      return { data: { id, queued }, text: queued === 0 ? none : `Queued for the webhook ${id}: ${queued} of the events.` }
    },
  }),
}

function parseRange({ flags: { event, after, since, until } }: Arguments<'event' | 'after' | 'since' | 'until'>): ReplayRange {
  const named = [event, after, since].filter((flag) => flag !== undefined)
  if (named.length !== 1 || (until !== undefined && since === undefined))
    throw usageError(
      'No events are selected, or in two ways.',
      'The command needs one of --event, --after, --since and --failed.',
    )
  if (event !== undefined) return { event: parseEvent('event', event) }
  if (after !== undefined) return { after: parseEvent('after', after) }
  return { since: parseTime('since', since ?? ''), until: until === undefined ? null : parseTime('until', until) }
}

function parseEvent(name: string, id: string): string {
  if (/^evt_\d{16}_[0-9a-f]{8}$/.test(id)) return id
  throw usageError(
    `--${name} is not the id of an event.`,
    'An event id looks like evt_0000000000000042_1f9c03ab.',
    'See `list-deliveries`.',
  )
}

function parseTypes({ flags: { types } }: Arguments<'types'>): string[] {
  if (types === undefined) return []
  const known = expandTypes(types.split(',').map((name) => name.trim()))
  if (known) return known
  throw usageError(
    '--types has an unknown type.',
    'The types are those of docs/events.md, and activity.* for all of the activity.',
    'Add for example: --types session.ended,key.ended',
  )
}

function parseContact({ flags: { contact } }: Arguments<'contact'>): string {
  const parsed = emailAddress.safeParse(contact)
  if (parsed.success) return parsed.data
  throw usageError(
    '--contact is missing or not an email address.',
    'Floorpass emails this address when it pauses the webhook.',
    'Add --contact <email>.',
  )
}

function parseLocale({ flags: { locale } }: Arguments<'locale'>) {
  const parsed = localeField.safeParse(locale ?? defaultLocale)
  if (parsed.success) return parsed.data
  throw usageError(
    '--locale is not a language of the service.',
    'Emails to the contact use this language.',
    'Add for example: --locale fr',
  )
}

const describeTypes = (types: readonly string[]): string => (types.length === 0 ? 'all events' : types.join(','))

const printSecrets = <Data extends WebhookSecrets>(
  { flags: { quiet } }: Arguments<'quiet'>,
  data: Data,
  sentence: string,
): Outcome => ({
  data,
  text: quiet
    ? data.secret
    : `${sentence}\nSecret, shown only now (signature v1): ${data.secret}\nPublic key (signature v1a): ${data.publicKey}`,
})
