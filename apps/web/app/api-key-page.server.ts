import { apiKeyLimits, createApiKeyInput, toPermissions, toScopes } from '@floorpass/api/contracts'
import { FieldError, type withApi, type withApiForm } from '#app/api.server.ts'
import type { ApiKey } from '#app/components/api-key-list.tsx'
import type { NewApiKey } from '#app/components/api-key-made.tsx'
import { type KeyChoice, keyChoices } from '#app/key-choices.ts'
import { momentText } from '#app/moment-text.server.ts'
import { readPasskey } from '#app/passkey-field.server.ts'
import type { Text } from '#app/text.ts'

type PageArgs = Parameters<Parameters<typeof withApi>[0]>[0]
type FormArgs = Parameters<Parameters<typeof withApiForm>[1]>[0]

const day = 24 * 60 * 60
export const expiryDays = [7, 30, 90, apiKeyLimits.longest / day]
const usualDays = 90

/** The keys of the person, or those of the organization with the names of their creators. */
export async function loadApiKeys({ api, page, text }: Pick<PageArgs, 'api' | 'page' | 'text'>, organizationId?: string) {
  const { isReauthenticated } = await api.sessions.require()
  const [{ apiKeys }, creators] = await Promise.all([
    api.apiKeys.list({ organizationId, sortDirection: 'desc' }),
    organizationId === undefined ? null : api.organizations.listMembers({ organizationId }),
  ])
  const names = new Map(creators?.members.map(({ userId, user }) => [userId, user.name]))
  const now = new Date()
  return {
    isReauthenticated,
    apiKeys: apiKeys.map(
      ({ id, name, start, enabled, permissions, ipAllowlist, expiresAt, lastUsedAt, lastUsedIp, createdBy }): ApiKey => {
        const isExpired = expiresAt !== null && expiresAt <= now
        return {
          id,
          name: name ?? (start === null ? id : `${start}…`),
          start,
          status: isExpired ? 'expired' : enabled ? 'active' : 'disabled',
          isEnabled: enabled,
          mayWithdraw: permissions.withdrawal?.includes('create') === true,
          may: describeScopes(toScopes(permissions), text.apiKeys),
          addresses: ipAllowlist.map((range) => range.replace(/(?<=\..*)\/32$|(?<=:.*)\/128$/, '')),
          expires: expiresAt && momentText(expiresAt, page.locale),
          lastUsed: lastUsedAt && { ...momentText(lastUsedAt, page.locale), address: lastUsedIp },
          creator: names.get(createdBy) ?? null,
        }
      },
    ),
  }
}

/** The choices of the form that the key has whole, then its other scopes one by one. */
function describeScopes(scopes: readonly string[], text: Text['apiKeys']): string[] {
  const whole = Object.entries(keyChoices).filter(([, members]) => members.every((scope) => scopes.includes(scope)))
  const covered = whole.flatMap(([, members]): string[] => [...members])
  return [
    ...whole.map(([choice]) => text.choices[choice as KeyChoice]),
    ...scopes
      .filter((scope) => !covered.includes(scope))
      .map((scope) => {
        const [resource = '', action = ''] = scope.split(':')
        return text.scopes[resource]?.[action] ?? scope
      }),
  ]
}

/** The intent is what to do and with which key: `disable <id>`, `enable <id>`, `delete <id>`. */
export async function changeApiKey({ api, field, text }: FormArgs): Promise<{ done: string }> {
  const [act, keyId = ''] = field('intent').split(' ')
  if (act === 'delete') {
    await api.apiKeys.delete({ keyId })
    return { done: text.apiKeys.done.delete }
  }
  if (act !== 'disable' && act !== 'enable') throw new Response('Bad Request', { status: 400 })
  await api.apiKeys.update({ keyId, enabled: act === 'enable' })
  return { done: text.apiKeys.done[act] }
}

/** What the form that creates a key can offer. */
export async function loadNewApiKey({ api, page }: Pick<PageArgs, 'api' | 'page'>, organizationId?: string) {
  const { user, isReauthenticated } = await api.sessions.require()
  const most = organizationId === undefined ? apiKeyLimits.perUser : apiKeyLimits.perOrganization
  const { total } = await api.apiKeys.list({ organizationId, limit: 0 })
  const { hasPasskey } = await api.twoFactor.get()
  return {
    isReauthenticated,
    full: total >= most ? most : null,
    mayTrade: user.tradingEnabled,
    hasPasskey: page.passkeys && hasPasskey,
    days: expiryDays,
    usualDays,
    nameLength: apiKeyLimits.nameLength,
  }
}

/** What the form keeps when it is refused: never the box for the public key, where a private key may have been pasted. */
export const keptOfNewKey = ['name', 'read', 'trade', 'withdraw', 'addresses', 'expiry', 'proof'] as const

export async function createApiKey({ api, field, text }: FormArgs, organizationId?: string): Promise<{ made: NewApiKey }> {
  const { passkey, ...input } = readNewKey(field, text.newApiKey)
  const created = await api.apiKeys.create({ ...input, organizationId, ...(passkey && { passkey: readPasskey(field) }) })
  return { made: { id: created.id, secret: 'key' in created ? (created.key ?? null) : null } }
}

function readNewKey(field: FormArgs['field'], text: Text['newApiKey']) {
  const name = field('name').trim()
  if (name === '') throw new FieldError('name', text.nameMissing)
  const scopes = Object.entries(keyChoices).flatMap(([choice, members]) => (field(choice) === 'on' ? members : []))
  if (scopes.length === 0) throw new FieldError('read', text.mayMissing)
  const days = expiryDays.find((days) => String(days) === field('expiry')) ?? usualDays
  return {
    name,
    permissions: toPermissions(scopes),
    ipAllowlist: readAddresses(field('addresses'), text),
    expiresIn: field('expiry') === 'never' ? null : days * day,
    ...(field('proof') !== 'secret' && { publicKey: readPublicKey(field('publicKey').trim(), text) }),
    passkey: field('withdraw') === 'on' && field('passkey') !== '',
  }
}

function readAddresses(typed: string, text: Text['newApiKey']): string[] {
  const lines = typed.split(/[\s,;]+/).filter((line) => line !== '')
  if (lines.length > apiKeyLimits.ranges) throw new FieldError('addresses', text.addressesTooMany(apiKeyLimits.ranges))
  const wrong = lines.find((line) => !createApiKeyInput.shape.ipAllowlist.safeParse([line]).success)
  if (wrong !== undefined) throw new FieldError('addresses', text.addressWrong(wrong.slice(0, 64)))
  return lines
}

function readPublicKey(pem: string, text: Text['newApiKey']): string {
  if (pem.includes('PRIVATE')) throw new FieldError('publicKey', text.publicKeyPrivate)
  if (!pem.includes('BEGIN PUBLIC KEY')) throw new FieldError('publicKey', text.publicKeyWrong)
  return pem
}
