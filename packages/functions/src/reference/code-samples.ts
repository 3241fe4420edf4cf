import { eventStreamAnswer } from '@floorpass/api/contracts'
import type { Route } from '../rest/routes.ts'
import type { RecordedCall } from './record-call.ts'

/** The field `x-codeSamples` of an operation, which tools for OpenAPI show. */
export type CodeSample = { lang: string; label: string; source: string }

type Input = Record<string, unknown>

type SampleOptions = { url: string; baseUrl: string; input: Input; recorded: RecordedCall | null }

/** Public routes that do more for a browser with cookies. */
const readsCookies = new Set(['/get-session', '/sign-out', '/passkey/verify-authentication'])

const fillPath = (url: string, input: Input): string => url.replace(/\{(\w+)\}/g, (_, name: string) => String(input[name]))

/** Routes that a browser follows. A program has no use for their answer. */
const isLink = ({ answer, path }: Route): boolean => answer === null && path !== '/sign-in/social'

/** Procedures that the client offers under a shorter name. */
const shortNames: Record<string, string> = {
  'signIn.signOut': 'signOut',
  'emailAddress.verify': 'verifyEmail',
  'profile.update': 'updateProfile',
  'organizations.acceptInvitation': 'acceptInvitation',
  'organizations.setActive': 'setActiveOrganization',
}

export function codeSamples(route: Route, options: SampleOptions): CodeSample[] {
  const client = clientSample(route, options)
  return [
    { lang: 'Shell', label: 'curl', source: curlSample(route, options) },
    ...(client === null ? [] : [{ lang: 'TypeScript', label: '@floorpass/client', source: client }]),
  ]
}

function curlSample({ method, access, path, answer, accepts }: Route, { url, baseUrl, input, recorded }: SampleOptions): string {
  const isPost = method === 'POST'
  const sendsCookies = access === 'session' || access === 'administrator' || access === 'challenge' || readsCookies.has(path)
  const setsCookies = (recorded?.declared?.cookies.length ?? 0) > 0
  const hasInput = Object.keys(input).length > 0
  const isUpload = accepts.includes('multipart')
  const query = isPost || !hasInput || url.includes('{') ? '' : `?${new URLSearchParams(input as Record<string, string>)}`
  const isForm = accepts[0] === 'form'
  const body = isForm ? String(new URLSearchParams(input as Record<string, string>)) : printJson(input)
  return [
    `curl ${answer === null ? '-i ' : ''}${answer === eventStreamAnswer ? '-N ' : ''}${isPost ? '-X POST ' : ''}${quote(fillPath(url, input) + query)}`,
    ...(sendsCookies ? ['-b cookies.txt'] : []),
    ...(setsCookies ? ['-c cookies.txt'] : []),
    // The service refuses a cookie without an origin (docs/specs/cors.md).
    ...(sendsCookies && isPost ? [`-H ${quote(`origin: ${baseUrl}`)}`] : []),
    ...(access === 'service' ? ['-H "authorization: Bearer $SERVICE_SECRET"'] : []),
    ...(isUpload ? ['-F picture=@picture.jpg'] : []),
    ...(isPost && hasInput && !isForm && !isUpload ? ["-H 'content-type: application/json'"] : []),
    ...(isPost && hasInput && !isUpload ? [`-d ${quote(body)}`] : []),
  ].join(' \\\n  ')
}

function clientSample(route: Route, { url, input, recorded }: SampleOptions): string | null {
  if (route.access === 'service' || isLink(route)) return null
  if (route.answer === null)
    return `location.assign(${printLiteral(`${url}?${new URLSearchParams(input as Record<string, string>)}`)})`
  if (!recorded || route.path.includes('{')) return null
  const { procedure, kind } = recorded
  const argument = isEmpty(recorded.input) ? '' : printLiteral(recorded.input)
  const shortName = shortNames[procedure]
  const call = shortName ? `floorpass.${shortName}` : `floorpass.trpc.${procedure}.${kind === 'query' ? 'query' : 'mutate'}`
  const isResult = kind === 'query' || !isAcknowledgement(route)
  return `${isResult ? 'const result = ' : ''}await ${call}(${argument})`
}

/** An answer without information, such as `{ status: true }`. */
const isAcknowledgement = ({ answer }: Route): boolean =>
  ['status', 'success'].some((field) => answer?.safeParse({ [field]: true }).success)

const isEmpty = (input: unknown): boolean =>
  input === undefined || (typeof input === 'object' && input !== null && Object.keys(input).length === 0)

const shortLine = 60

function printJson(value: unknown): string {
  const line = JSON.stringify(value)
  return line.length <= shortLine ? line : JSON.stringify(value, null, 2)
}

/** For a shell: in single quotes, where only the quote itself is special. */
const quote = (text: string): string => (/^[\w:/.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)

/** A value as TypeScript in the style of this project. */
function printLiteral(value: unknown, indent = ''): string {
  if (typeof value === 'string') return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
  if (typeof value !== 'object' || value === null) return String(value)
  const inner = `${indent}  `
  const parts = Array.isArray(value)
    ? value.map((item) => printLiteral(item, inner))
    : Object.entries(value).map(
        ([key, item]) => `${/^[A-Za-z_]\w*$/.test(key) ? key : printLiteral(key)}: ${printLiteral(item, inner)}`,
      )
  const [open, close, space] = Array.isArray(value) ? ['[', ']', ''] : ['{', '}', ' ']
  if (parts.length === 0) return `${open}${close}`
  const line = `${open}${space}${parts.join(', ')}${space}${close}`
  return line.length <= shortLine && !line.includes('\n')
    ? line
    : `${open}\n${parts.map((part) => `${inner}${part},\n`).join('')}${indent}${close}`
}
