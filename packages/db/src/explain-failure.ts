import type { DatabaseOptions } from './client.ts'
import { collectLayers, findSqlState } from './failures.ts'
import { PostgresTlsError } from './postgres-tls.ts'

export type DatabaseFailure = { reason: string; fix: string }

/** Null for an error that is no fault of the database or its connection. Never contains a password or a row. */
export function explainDatabaseFailure(error: unknown, kind: DatabaseOptions['kind'] = 'postgres'): DatabaseFailure | null {
  const layers = collectLayers(error)
  const file = layers.find((layer) => layer instanceof PostgresTlsError)
  if (file instanceof PostgresTlsError) return { reason: file.reason, fix: file.fix }
  const state = findSqlState(error)
  const said = layers
    .flatMap(({ originalMessage, message, code, originalCode }) =>
      state === (originalCode ?? code) ? [originalMessage ?? message] : [],
    )
    .find((text): text is string => typeof text === 'string')
  const byState = state && [...(kind === 'embedded' ? embeddedStates : []), ...states].find(([pattern]) => pattern.test(state))
  if (byState) {
    const [, fixes] = byState
    const fix = typeof fixes === 'string' ? fixes : fixes.find(([pattern]) => pattern.test(said ?? ''))?.[1]
    return { reason: `${toLine(said ?? 'no reason')} (${state})`, fix: fix ?? checkAll }
  }
  for (const { code, message } of layers) {
    const text = typeof message === 'string' ? message : ''
    const found = connections.find(([pattern]) => pattern.test(String(code)) || pattern.test(text))
    if (found) return { reason: toLine(text || findMessage(layers) || String(code)), fix: found[1] }
  }
  return null
}

const findMessage = (layers: Record<string, unknown>[]): string =>
  layers.map(({ message }) => message).find((text): text is string => typeof text === 'string' && text !== '') ?? ''

const toLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

const checkAll = 'Check the host, port, user, password and database in DATABASE_URL.'
const wait = 'It accepts connections again by itself. If it does not, look at the log of PostgreSQL.'
const noHost = 'Check that each host runs, and that one is the primary: see docs/postgresql.md.'

type StateFixes = [state: RegExp, fix: string | [message: RegExp, fix: string][]][]

const embeddedStates: StateFixes = [
  [/^53100$/, 'Free some space on the disk of DATA_DIR.'],
  [/^(42501|58...)$/, 'Check that the disk of DATA_DIR is writable and has no fault.'],
]

/** By SQLSTATE, and where one has several causes, by PostgreSQL's message. A message in another language gets the last. */
const states: StateFixes = [
  [
    /^28P01$/,
    'Correct the user or the password in DATABASE_URL (percent-encode special characters), or set it: ALTER ROLE … PASSWORD. PostgreSQL says the same of a role that does not exist.',
  ],
  [
    /^28...$/,
    [
      [/^role .* does not exist/, 'Correct the user in DATABASE_URL, or create it: CREATE ROLE … LOGIN PASSWORD.'],
      [/not permitted to log in/, 'Let the role log in: ALTER ROLE … LOGIN.'],
      [/no PostgreSQL user name/, 'Add the user to DATABASE_URL: postgresql://user:password@host:5432/database.'],
      [
        /client certificate/,
        'Add sslcert and sslkey to DATABASE_URL: a certificate that the server trusts, issued to this user.',
      ],
      [
        /no encryption/,
        'Add a line for this address, user and database to pg_hba.conf and reload PostgreSQL. If it has a hostssl line, add sslmode=verify-full to DATABASE_URL.',
      ],
      [/./, 'Add a line for this address, user and database to pg_hba.conf and reload PostgreSQL.'],
    ],
  ],
  [/^3D000$/, 'Correct the database in DATABASE_URL, or create it: CREATE DATABASE … OWNER ….'],
  [
    /^42501$/,
    [
      [
        /schema|must be owner/,
        'Grant the right to the role in DATABASE_URL, or migrate with the role that owns the schema: see docs/database-roles.md.',
      ],
      [/permission denied for database/, 'Grant the right: GRANT CONNECT ON DATABASE … TO ….'],
      [/permission denied/, 'Grant the right to the role in DATABASE_URL: see docs/database-roles.md.'],
      [/./, 'Check that the disk of PostgreSQL is writable, and the rights of the role in DATABASE_URL.'],
    ],
  ],
  [
    /^53300$/,
    'Raise max_connections, or the CONNECTION LIMIT of the role or the database. Each process of Floorpass takes up to 12 connections.',
  ],
  [/^53100$/, 'Free some space on the disk of PostgreSQL.'],
  [/^53...$/, 'Give PostgreSQL more memory or raise the limit that it names.'],
  [/^57P03$/, wait],
  [/^57P0[12]$/, wait],
  [/^57P05$/, 'Set idle_session_timeout of the role to 0: Floorpass closes idle connections itself.'],
  [/^57P04$/, 'The database was dropped. Restore it, or correct the database in DATABASE_URL.'],
  [/^25006$/, 'DATABASE_URL leads to a standby or a read-only server. Name the primary, or all hosts: see docs/postgresql.md.'],
  [/^55000$/, 'Let the database accept connections: ALTER DATABASE … ALLOW_CONNECTIONS true.'],
  [/^55P03$|^57014$/, 'Another transaction holds a lock, or PostgreSQL is too slow. Look at pg_stat_activity.'],
  [/^40(001|P01)$/, 'Try again. If it repeats, look at the log of PostgreSQL.'],
  [
    /^08...$/,
    [
      [/^No host/, noHost],
      [/./, 'Check the server or pooler that DATABASE_URL names, and its log.'],
    ],
  ],
  [/^(58|XX|F0)...$/, 'Look at the log of PostgreSQL: it reports a fault of its disk or of itself.'],
]

const connections: [codeOrMessage: RegExp, fix: string][] = [
  [
    /^connect (ENOENT|EACCES)/,
    'This user finds no socket there: check that PostgreSQL runs, its unix_socket_directories and its rights.',
  ],
  [/^ECONNREFUSED$/, 'Nothing listens there: check that PostgreSQL runs, its port and its listen_addresses.'],
  [/^(ENOTFOUND|EAI_AGAIN)$/, 'The host in DATABASE_URL does not resolve on this machine: correct it, or its DNS.'],
  [/^(EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)$|timeout/i, 'Nothing answers: check the host, and the network and firewall before it.'],
  [
    /does not support SSL/,
    'The server offers no TLS. Turn it on (ssl = on), or set sslmode=disable on a network that you trust.',
  ],
  [
    /^(SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_\w+|CERT_UNTRUSTED|CERT_SIGNATURE_FAILURE)$/,
    'No authority in sslrootcert issued the certificate of the server. Set sslrootcert to the certificate of its authority.',
  ],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    'The certificate of the server is for another host name. Use that name in DATABASE_URL, or have one issued for this name.',
  ],
  [/^CERT_(HAS_EXPIRED|NOT_YET_VALID|REVOKED)$/, 'Have another certificate issued for the server, and check the clocks.'],
  [/^(ERR_SSL_|EPROTO$)|SSL connection/, 'TLS failed: check sslcert and sslkey, and the TLS versions of both sides.'],
  [/^SASL:.*password must be a/, 'The server asks for a password, and DATABASE_URL has none.'],
  [/^SASL:|channel binding/, 'The server does not prove that it knows the password: check that the host is the right one.'],
  [
    /^(ECONNRESET|EPIPE)$|^Connection terminated|^Client (was closed|has encountered)/,
    'The server or something before it closed the connection: look at its log.',
  ],
]
