import { policy } from '@floorpass/api'
import {
  createService,
  dropService,
  findServices,
  rotateService,
  rotateSigningKeys,
  type ServiceScope,
  serviceScopes,
} from '@floorpass/api/administration'
import { type Arguments, assertNoPositional, type Command, defineCommand, getOnlyPositional, type Outcome } from './arguments.ts'
import { formatTable } from './print.ts'
import { CommandError, usageError } from './problem.ts'

const overlapHours = policy.services.secretOverlap / 3600

export const serviceCommands: Record<string, Command> = {
  'create-service': defineCommand({
    usage: 'create-service <name> --scopes <a,b> [--quiet]',
    summary: `creates the secret of another service and prints it once; scopes: ${serviceScopes.join(', ')}`,
    options: ['scopes', 'quiet'],
    async run(operator, args) {
      const name = getOnlyPositional(args, 'name')
      if (!/^[a-z0-9-]{1,40}$/.test(name))
        throw usageError('The name of the service is not valid.', 'It must have 1 to 40 lower-case letters, digits and dashes.')
      const scopes = parseScopes(args)
      const created = await createService(operator, name, scopes)
      if (!created)
        throw new CommandError({
          what: 'Nothing was done.',
          why: `There is already a service called ${name}.`,
          fix: `Choose another name, or replace its secret with \`rotate-service ${name}\`.`,
        })
      return printSecret(args, { name, scopes, ...created }, `The service ${name} may call: ${scopes.join(', ')}.`)
    },
  }),
  'list-services': defineCommand({
    usage: 'list-services',
    summary: 'lists the other services, their scopes and the uses of their secrets (up to half a minute late)',
    options: [],
    isRead: true,
    async run(operator, args) {
      assertNoPositional(args)
      const services = await findServices(operator)
      const rows = services.flatMap(({ name, scopes, createdBy, secrets }) =>
        secrets.map((secret) => ({ name, scopes: scopes.join(','), createdBy, ...secret })),
      )
      const columns = ['name', 'scopes', 'createdAt', 'createdBy', 'lastUsedAt', 'uses', 'expiresAt'] as const
      return { data: services, text: formatTable(rows, columns, 'There are no services. Create one with create-service.') }
    },
  }),
  'rotate-signing-keys': defineCommand({
    usage: 'rotate-signing-keys',
    summary: 'replaces the key that signs access tokens; the next key starts once every verifier can know it',
    options: [],
    async run(operator, args) {
      assertNoPositional(args)
      const { signsFrom } = await rotateSigningKeys(operator)
      const text = `The next key signs from ${signsFrom.toISOString()}. The former key stays published for an hour after that.`
      return { data: { signsFrom }, text }
    },
  }),
  'rotate-service': defineCommand({
    usage: 'rotate-service <name> [--now] [--quiet]',
    summary: `prints a new secret once; the older one works for ${overlapHours} more hours, or ends at once with --now`,
    options: ['now', 'quiet'],
    async run(operator, args) {
      const name = getOnlyPositional(args, 'name')
      const rotation = await rotateService(operator, name, { now: args.flags.now ?? false })
      if (rotation.outcome === 'unknown') throw noSuchServiceError(name)
      if (rotation.outcome === 'two-alive')
        throw new CommandError({
          what: 'Nothing was done.',
          why: `${name} already has two secrets. The older one works until ${rotation.olderEndsAt.toISOString()}.`,
          fix: `Wait until then, or end both at once with \`rotate-service ${name} --now\`.`,
        })
      const { secret, olderEndsAt } = rotation
      const older = olderEndsAt ? `The older one works until ${olderEndsAt.toISOString()}.` : 'All older secrets have ended.'
      return printSecret(args, { name, secret, olderEndsAt }, `The service ${name} has a new secret. ${older}`)
    },
  }),
  'drop-service': defineCommand({
    usage: 'drop-service <name>',
    summary: 'deletes a service and ends its secrets at once',
    options: [],
    async run(operator, args) {
      const name = getOnlyPositional(args, 'name')
      if (!(await findServices(operator)).some((service) => service.name === name)) throw noSuchServiceError(name)
      await args.confirm(name, 'All calls of this service will be refused.')
      if (!(await dropService(operator, name))) throw noSuchServiceError(name)
      return { data: { dropped: true }, text: `The service ${name} is deleted. Its secrets have ended.` }
    },
  }),
}

function parseScopes({ flags: { scopes = '' } }: Arguments<'scopes'>): ServiceScope[] {
  const words = scopes.split(',').map((word) => word.trim())
  const known = serviceScopes.filter((scope) => words.includes(scope))
  const unknown = words.find((word) => !known.some((scope) => scope === word))
  if (unknown === undefined) return known
  throw usageError(
    scopes === '' ? 'The --scopes are missing.' : '--scopes has an unknown scope.',
    `The scopes are: ${serviceScopes.join(', ')}.`,
    'Add for example: --scopes session:verify',
  )
}

const printSecret = <Data extends { secret: string }>(
  { flags: { quiet } }: Arguments<'quiet'>,
  data: Data,
  sentence: string,
): Outcome => ({
  data,
  text: quiet
    ? data.secret
    : `${sentence}\nSecret, shown only now: ${data.secret}\nThe service sends it as: Authorization: Bearer <secret>`,
})

const noSuchServiceError = (name: string): CommandError =>
  new CommandError({
    what: 'Nothing was done.',
    why: `There is no service called ${name}.`,
    fix: 'See `npm run admin -- list-services`.',
  })
