import { defaultLocale, policy } from '@floorpass/api'
import {
  createWebhook,
  dropWebhook,
  expandTypes,
  findWebhookUrlProblem,
  listDeliveries,
  listWebhooks,
  pauseWebhook,
  type ReplayRange,
  replayEvents,
  resumeWebhook,
  rotateWebhook,
  type WebhookSecrets,
} from '@floorpass/api/administration'
import { emailAddress, locale as localeField } from '@floorpass/api/contracts'
import {
  type Arguments,
  assertNoPositional,
  type Command,
  getOnlyPositional,
  type Outcome,
  parseNumber,
  parseTime,
} from './arguments.ts'
import { formatTable } from './print.ts'
import { usageError } from './problem.ts'

const overlapHours = policy.webhooks.keyOverlap / 3600
const statuses = ['waiting', 'delivered', 'failed']

export const webhookCommands: Record<string, Command> = {
  'create-webhook': {
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
  },
  'list-webhooks': {
    usage: 'list-webhooks',
    summary: 'lists the webhooks, what waits for them, and which are paused',
    options: [],
    isRead: true,
    async run(operator, args) {
      assertNoPositional(args)
      const webhooks = await listWebhooks(operator)
      const rows = webhooks.map((webhook) => ({ ...webhook, types: describeTypes(webhook.types) }))
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
  },
  'pause-webhook': {
    usage: 'pause-webhook <id>',
    summary: 'stops the deliveries of a webhook; what waits goes on waiting',
    options: [],
    async run(operator, args) {
      const id = getOnlyPositional(args, 'id')
      const paused = await pauseWebhook(operator, id)
      return { data: { id, paused }, text: paused ? `The webhook ${id} is paused.` : `The webhook ${id} was paused already.` }
    },
  },
  'resume-webhook': {
    usage: 'resume-webhook <id>',
    summary: 'starts the deliveries of a paused webhook again, and says how many events it missed',
    options: [],
    async run(operator, args) {
      const id = getOnlyPositional(args, 'id')
      const resumed = await resumeWebhook(operator, id)
      if (!resumed) return { data: { id, resumed: false }, text: `The webhook ${id} was not paused.` }
      const { missed, pausedAt } = resumed
      const advice = `To send them: npm run admin -- replay-webhook ${id} --since ${pausedAt.toISOString()}`
      return {
        data: { id, resumed: true, missed, pausedAt },
        text: `The webhook ${id} gets events again. It missed ${missed} during the pause.${missed > 0 ? `\n${advice}` : ''}`,
      }
    },
  },
  'rotate-webhook': {
    usage: 'rotate-webhook <id> [--now] [--quiet]',
    summary: `prints a new secret once; the former keys sign too for ${overlapHours} more hours, or with --now no longer`,
    options: ['now', 'quiet'],
    async run(operator, args) {
      const id = getOnlyPositional(args, 'id')
      const { formerUntil, ...keys } = await rotateWebhook(operator, id, { now: args.flags.now ?? false })
      const former = formerUntil
        ? `The former keys sign too until ${formerUntil.toISOString()}.`
        : 'The former keys no longer sign.'
      return printSecrets(args, { id, ...keys, formerUntil }, `The webhook ${id} has new keys. ${former}`)
    },
  },
  'drop-webhook': {
    usage: 'drop-webhook <id>',
    summary: 'deletes a webhook, what waits for it and the log of its deliveries',
    options: [],
    async run(operator, args) {
      const id = getOnlyPositional(args, 'id')
      const webhook = (await listWebhooks(operator)).find((one) => one.id === id)
      if (webhook) await args.confirm(id, `${webhook.url} gets no more events, and ${webhook.waiting} that wait are lost to it.`)
      await dropWebhook(operator, id)
      return { data: { dropped: true }, text: `The webhook ${id} is deleted.` }
    },
  },
  'list-deliveries': {
    usage: 'list-deliveries <id> [--status waiting|delivered|failed] [--limit <n>]',
    summary: 'lists the newest deliveries of a webhook with the answers of its server',
    options: ['status', 'limit'],
    isRead: true,
    async run(operator, args) {
      const id = getOnlyPositional(args, 'id')
      const { status, limit } = args.flags
      if (status !== undefined && !statuses.includes(status))
        throw usageError('--status is not known.', `It is one of: ${statuses.join(', ')}.`)
      const most = limit === undefined ? 50 : parseNumber('limit', limit, 1000)
      const rows = await listDeliveries(operator, id, { ...(status !== undefined && { status }), limit: most })
      const columns = ['event', 'type', 'status', 'attempts', 'answer', 'createdAt', 'nextAttemptAt', 'finishedAt'] as const
      return { data: rows, text: formatTable(rows, columns, 'There are no deliveries.') }
    },
  },
  'replay-webhook': {
    usage: 'replay-webhook <id> (--event <event id> | --since <time> [--until <time>])',
    summary: 'sends an event again, or all events of a time; those that wait already are left out',
    options: ['event', 'since', 'until'],
    async run(operator, args) {
      const id = getOnlyPositional(args, 'id')
      const queued = await replayEvents(operator, id, parseRange(args))
      return { data: { id, queued }, text: `${queued} events are queued for the webhook ${id}.` }
    },
  },
}

function parseRange({ flags: { event, since, until } }: Arguments): ReplayRange {
  if (event !== undefined && since === undefined && until === undefined) {
    if (/^evt_\d{16}_[0-9a-f]{8}$/.test(event)) return { event }
    throw usageError(
      '--event is not the id of an event.',
      'It looks like evt_0000000000000042_1f9c03ab.',
      'See `list-deliveries`.',
    )
  }
  if (event !== undefined || since === undefined)
    throw usageError('The events are not named.', 'The command needs --event, or --since with or without --until.')
  return { since: parseTime('since', since), until: until === undefined ? null : parseTime('until', until) }
}

function parseTypes({ flags: { types } }: Arguments): string[] {
  if (types === undefined) return []
  const known = expandTypes(types.split(',').map((name) => name.trim()))
  if (known) return known
  throw usageError(
    '--types has an unknown type.',
    'The types are those of docs/events.md, and activity.* for all of the activity.',
    'Add for example: --types session.ended,key.ended',
  )
}

function parseContact({ flags: { contact } }: Arguments): string {
  const parsed = emailAddress.safeParse(contact)
  if (parsed.success) return parsed.data
  throw usageError(
    '--contact is missing or not an email address.',
    'The service writes there when the webhook pauses.',
    'Add --contact <email>.',
  )
}

function parseLocale({ flags: { locale } }: Arguments) {
  const parsed = localeField.safeParse(locale ?? defaultLocale)
  if (parsed.success) return parsed.data
  throw usageError(
    '--locale is not a language of the service.',
    'Mails to the contact are in this language.',
    'Add for example: --locale fr',
  )
}

const describeTypes = (types: readonly string[]): string => (types.length === 0 ? 'all events' : types.join(','))

const printSecrets = <Data extends WebhookSecrets>({ flags: { quiet } }: Arguments, data: Data, sentence: string): Outcome => ({
  data,
  text: quiet
    ? data.secret
    : `${sentence}\nSecret, shown only now (signature v1): ${data.secret}\nPublic key (signature v1a): ${data.publicKey}`,
})
