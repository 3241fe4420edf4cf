export type PostgresHost = { host: string; port: number }

/** The file names of libpq's parameters. `require` verifies nothing. */
export type PostgresTls = {
  mode: 'require' | 'verify-ca' | 'verify-full'
  /** `system`: the certificate authorities of this machine. Null: those that Node.js brings. */
  sslrootcert: string | null
  sslcert: string | null
  sslkey: string | null
  sslpassword: string | null
  sslcrl: string | null
  minVersion: 'TLSv1.2' | 'TLSv1.3'
}

export type PostgresUrl = {
  hosts: PostgresHost[]
  target: 'any' | 'read-write' | 'primary'
  /** Null: the URL says nothing about TLS. */
  tls: PostgresTls | 'disable' | null
  connectTimeoutSeconds: number | null
  driverUrl: string
}

export class PostgresUrlError extends Error {
  override name = 'PostgresUrlError'
}

const form = /^(postgres(?:ql)?:\/\/)(?:([^/?#]*)@)?([^/?#]*)([^?#]*)(?:\?([^#]*))?$/
const tlsParameters = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'sslpassword', 'sslcrl', 'ssl_min_protocol_version']
const ownParameters = ['host', 'port', 'target_session_attrs', 'connect_timeout', 'uselibpqcompat', ...tlsParameters]
const harmless: Record<string, string[]> = {
  channel_binding: ['prefer', 'disable'],
  gssencmode: ['prefer', 'disable'],
  sslnegotiation: ['postgres', 'direct'],
  sslsni: ['1'],
  sslcompression: ['0', '1'],
  sslcertmode: ['allow'],
}

/** Reads a URL of PostgreSQL as libpq does, with one or several hosts. Throws PostgresUrlError. */
export function parsePostgresUrl(text: string): PostgresUrl {
  const [, scheme, credentials, authority = '', path = '', query = ''] = form.exec(text) ?? []
  if (!scheme) throw new PostgresUrlError('must be a URL that starts with postgres:// or postgresql://')
  const parameters = new URLSearchParams(query)
  const repeated = ownParameters.find((name) => parameters.getAll(name).length > 1)
  if (repeated) throw new PostgresUrlError(`has ${repeated} more than once`)
  const hosts = readHosts(authority, parameters.get('host'), parameters.get('port'))
  const target = readTarget(parameters.get('target_session_attrs'), hosts.length)
  const connectTimeoutSeconds = readConnectTimeout(parameters.get('connect_timeout'))
  const tls = readTls(parameters)
  for (const name of ownParameters) parameters.delete(name)
  const driverUrl = `${scheme}${credentials ? `${credentials}@` : ''}localhost${path}${parameters.size > 0 ? `?${parameters}` : ''}`
  if (path.includes('@') || !URL.canParse(driverUrl) || !isDecodable(`${credentials}${path}`))
    throw new PostgresUrlError(
      'has a user, password or database name that is not percent-encoded: write % as %25, / as %2F, ? as %3F, @ as %40',
    )
  return { hosts, target, tls, connectTimeoutSeconds, driverUrl }
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

function readTls(parameters: URLSearchParams): PostgresUrl['tls'] {
  for (const [name, value] of parameters) {
    if (!/^(ssl|channel_binding|gssencmode|require)/.test(name) || tlsParameters.includes(name)) continue
    if (name === 'ssl') throw new PostgresUrlError('must say sslmode=require or sslmode=verify-full instead of ssl')
    if (!harmless[name]?.includes(value))
      throw new PostgresUrlError(`has a value of ${/^\w+$/.exec(name)?.[0]} that is not supported`)
  }
  const value = (name: string) => parameters.get(name) || null
  const [sslrootcert, sslcert, sslkey] = [value('sslrootcert'), value('sslcert'), value('sslkey')]
  const mode = value('sslmode') ?? (sslrootcert === 'system' ? 'verify-full' : null)
  const isDirect = parameters.get('sslnegotiation') === 'direct'
  if (mode === null || mode === 'disable') {
    const unused =
      tlsParameters.find((name) => name !== 'sslmode' && parameters.has(name)) ?? (isDirect ? 'sslnegotiation' : null)
    if (unused) throw new PostgresUrlError(`has ${unused}, which needs sslmode=require, verify-ca or verify-full`)
    return mode
  }
  if (mode === 'prefer' || mode === 'allow')
    throw new PostgresUrlError(`must not have sslmode=${mode}, which protects nothing: choose disable, require or verify-full`)
  if (mode !== 'require' && mode !== 'verify-ca' && mode !== 'verify-full')
    throw new PostgresUrlError('must have one of these: sslmode=disable, require, verify-ca, verify-full')
  if (mode === 'verify-ca' && !sslrootcert)
    throw new PostgresUrlError('needs sslrootcert=<file> for sslmode=verify-ca: public authorities certify any host')
  if (mode !== 'verify-full' && sslrootcert === 'system')
    throw new PostgresUrlError('needs sslmode=verify-full for sslrootcert=system: public authorities certify any host')
  if ((sslcert === null) !== (sslkey === null)) throw new PostgresUrlError('must have sslcert and sslkey together')
  const minVersion = value('ssl_min_protocol_version') ?? 'TLSv1.2'
  if (minVersion !== 'TLSv1.2' && minVersion !== 'TLSv1.3')
    throw new PostgresUrlError('must have ssl_min_protocol_version=TLSv1.2 or TLSv1.3')
  const verified = mode === 'require' && sslrootcert ? 'verify-ca' : mode
  return { mode: verified, sslrootcert, sslcert, sslkey, sslpassword: value('sslpassword'), sslcrl: value('sslcrl'), minVersion }
}

export function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}
