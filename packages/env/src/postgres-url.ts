export type PostgresHost = { host: string; port: number }

export type PostgresUrl = {
  hosts: PostgresHost[]
  target: 'any' | 'read-write' | 'primary'
  /** Seconds for each host, or null for the caller's own limit. */
  connectTimeout: number | null
  /** For `pg`, with a placeholder as its one host. */
  driverUrl: string
}

/** Never quotes the URL. */
export class PostgresUrlError extends Error {
  override name = 'PostgresUrlError'
}

const form = /^(postgres(?:ql)?:\/\/)(?:([^/?#]*)@)?([^/?#]*)([^?#]*)(?:\?([^#]*))?$/
const ownParameters = ['host', 'port', 'target_session_attrs', 'connect_timeout']

/** Reads a URL of PostgreSQL as libpq does, with one or several hosts. Throws PostgresUrlError. */
export function parsePostgresUrl(text: string): PostgresUrl {
  const [, scheme, credentials, authority = '', path = '', query = ''] = form.exec(text) ?? []
  if (!scheme) throw new PostgresUrlError('must be a URL that starts with postgres:// or postgresql://')
  const parameters = new URLSearchParams(query)
  const hosts = readHosts(authority, parameters.get('host'), parameters.get('port'))
  const target = readTarget(parameters.get('target_session_attrs'), hosts.length)
  const connectTimeout = readConnectTimeout(parameters.get('connect_timeout'))
  for (const name of ownParameters) parameters.delete(name)
  const driverUrl = `${scheme}${credentials ? `${credentials}@` : ''}localhost${path}${parameters.size > 0 ? `?${parameters}` : ''}`
  if (!URL.canParse(driverUrl) || !isDecodable(`${credentials}${path}`))
    throw new PostgresUrlError(
      'has a user, password or database name that is not percent-encoded: write % as %25, / as %2F, ? as %3F',
    )
  return { hosts, target, connectTimeout, driverUrl }
}

function readHosts(authority: string, hostParameter: string | null, portParameter: string | null): PostgresHost[] {
  const entries = hostParameter
    ? hostParameter.split(',').map((host) => ({ host, port: '' }))
    : authority.split(',').map((entry) => {
        const [, host = '', port = ''] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/.exec(entry) ?? []
        return { host: host.replace(/^\[(.*)\]$/, '$1'), port }
      })
  const ports = portParameter?.split(',') ?? []
  if (ports.length > 1 && ports.length !== entries.length) throw new PostgresUrlError('must have one port, or as many as hosts')
  return entries.map(({ host, port }, index) => {
    const number = port || ports[ports.length > 1 ? index : 0] || '5432'
    if (!/^\d{1,5}$/.test(number) || Number(number) < 1 || Number(number) > 65_535)
      throw new PostgresUrlError('has a port that is not a number from 1 to 65535')
    const name = isDecodable(host) ? decodeURIComponent(host) : ''
    if (!/^(\/.*|[\w.:%-]+)$/.test(name)) throw new PostgresUrlError('has no host, or one that is not a host name')
    return { host: name, port: Number(number) }
  })
}

function readTarget(value: string | null, hosts: number): PostgresUrl['target'] {
  if (value === null) return hosts > 1 ? 'read-write' : 'any'
  if (value === 'read-write' || value === 'primary' || (value === 'any' && hosts === 1)) return value
  throw new PostgresUrlError('must have target_session_attrs=read-write or primary: the service writes')
}

function readConnectTimeout(value: string | null): number | null {
  if (value === null || value === '0') return null
  if (!/^\d{1,4}$/.test(value)) throw new PostgresUrlError('has a connect_timeout that is not a whole number of seconds')
  return Number(value)
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}
