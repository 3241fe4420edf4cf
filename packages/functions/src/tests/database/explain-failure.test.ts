import { explainDatabaseFailure } from '@floorpass/db'
import { expect, test } from 'vitest'

type Row = [failure: { code?: string; message?: string }, fix: string]
const failureOf = ({ code, message = '' }: Row[0]) => Object.assign(new Error(message), code === undefined ? {} : { code })
const nothing = 'x'

test.each<Row>([
  [{ code: '28P01' }, 'Correct the user or the password in DATABASE_URL'],
  [{ code: '28000', message: 'role "ada" does not exist' }, 'Correct the user in DATABASE_URL, or create it'],
  [{ code: '28000', message: 'role "ada" is not permitted to log in' }, 'Let the role log in'],
  [{ code: '28000', message: 'no PostgreSQL user name specified in startup packet' }, 'Add the user to DATABASE_URL'],
  [{ code: '28000', message: 'connection requires a valid client certificate' }, 'Add sslcert and sslkey to DATABASE_URL'],
  [
    { code: '28000', message: 'no pg_hba.conf entry, no encryption' },
    'Add a line for this address, user and database to pg_hba.conf and reload PostgreSQL. If',
  ],
  [
    { code: '28000', message: 'no pg_hba.conf entry for host' },
    'Add a line for this address, user and database to pg_hba.conf and reload PostgreSQL.',
  ],
  [{ code: '28000', message: 'the role "ada" of that name: role "eve" does not exist' }, 'Add a line for this address'],
  [{ code: '3D000' }, 'Correct the database in DATABASE_URL, or create it'],
  [{ code: '42501', message: 'permission denied for schema public' }, 'Grant the right to the role in DATABASE_URL, or migrate'],
  [{ code: '42501', message: 'must be owner of table users' }, 'Grant the right to the role in DATABASE_URL, or migrate'],
  [{ code: '42501', message: 'permission denied for database "x"' }, 'Grant the right: GRANT CONNECT'],
  [{ code: '42501', message: 'permission denied for table users' }, 'Grant the right to the role in DATABASE_URL: see'],
  [{ code: '42501', message: 'could not open file: Read-only file system' }, 'Check that the disk of PostgreSQL is writable'],
  [{ code: '53300' }, 'Raise max_connections'],
  [{ code: '53100' }, 'Free some space on the disk of PostgreSQL'],
  [{ code: '53200' }, 'Give PostgreSQL more memory'],
  [{ code: '57P01' }, 'It accepts connections again by itself'],
  [{ code: '57P02' }, 'It accepts connections again by itself'],
  [{ code: '57P03' }, 'It accepts connections again by itself'],
  [{ code: '57P04' }, 'The database was dropped'],
  [{ code: '57P05' }, 'Set idle_session_timeout of the role to 0'],
  [{ code: '25006' }, 'DATABASE_URL leads to a standby or a read-only server'],
  [{ code: '55000' }, 'Let the database accept connections'],
  [{ code: '55P03' }, 'Another transaction holds a lock'],
  [{ code: '57014' }, 'Another transaction holds a lock'],
  [{ code: '40001' }, 'Try again'],
  [{ code: '40P01' }, 'Try again'],
  [{ code: '08006', message: 'No host of DATABASE_URL is the primary' }, 'Check that each host runs'],
  [{ code: '08006', message: 'server conn crashed: No host' }, 'Check the server or pooler that DATABASE_URL names'],
  [{ code: '58030' }, 'Look at the log of PostgreSQL: it reports a fault'],
  [{ code: 'XX000' }, 'Look at the log of PostgreSQL: it reports a fault'],
  [{ code: 'F0000' }, 'Look at the log of PostgreSQL: it reports a fault'],
  [{ code: 'ENOENT', message: 'connect ENOENT /run/.s.PGSQL.5432' }, 'This user finds no socket there'],
  [{ code: 'EACCES', message: 'connect EACCES /run/.s.PGSQL.5432' }, 'This user finds no socket there'],
  [{ code: 'ECONNREFUSED' }, 'Nothing listens there'],
  [{ code: 'ENOTFOUND' }, 'The host in DATABASE_URL does not resolve'],
  [{ code: 'EAI_AGAIN' }, 'The host in DATABASE_URL does not resolve'],
  [{ code: 'EHOSTUNREACH' }, 'Nothing answers'],
  [{ code: 'ENETUNREACH' }, 'Nothing answers'],
  [{ code: 'ETIMEDOUT' }, 'Nothing answers'],
  [{ message: 'Connection Timeout' }, 'Nothing answers'],
  [{ message: 'The server does not support SSL connections' }, 'The server offers no TLS'],
  ...['SELF_SIGNED_CERT_IN_CHAIN', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'CERT_UNTRUSTED'].map(
    (code): Row => [{ code }, 'No authority in sslrootcert issued the certificate'],
  ),
  [{ code: 'CERT_SIGNATURE_FAILURE' }, 'No authority in sslrootcert issued the certificate'],
  [{ code: 'ERR_TLS_CERT_ALTNAME_INVALID' }, 'The certificate of the server is for another host name'],
  ...['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID', 'CERT_REVOKED'].map(
    (code): Row => [{ code }, 'Have another certificate issued for the server'],
  ),
  [{ code: 'ERR_SSL_WRONG_VERSION_NUMBER' }, 'TLS failed'],
  [{ code: 'EPROTO' }, 'TLS failed'],
  [{ message: 'There was an error establishing an SSL connection' }, 'TLS failed'],
  [{ message: 'SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string' }, 'The server asks for a password'],
  [{ message: 'SASL: SCRAM-SERVER-FINAL-MESSAGE: server signature does not match' }, 'The server does not prove'],
  [{ message: 'the server offers no channel binding' }, 'The server does not prove'],
  [{ code: 'ECONNRESET' }, 'The server or something before it closed the connection'],
  [{ code: 'EPIPE' }, 'The server or something before it closed the connection'],
  [{ message: 'Connection terminated unexpectedly' }, 'The server or something before it closed the connection'],
  [{ message: 'Client was closed and is not queryable' }, 'The server or something before it closed the connection'],
  [{ message: 'Client has encountered a connection error' }, 'The server or something before it closed the connection'],
])('says what to do about %o', (failure, fix) => {
  const explained = explainDatabaseFailure(failureOf({ message: nothing, ...failure }))
  expect(explained?.fix).toContain(fix)
  expect(explained?.reason).toContain(failure.message ?? nothing)
})

test.each<Row>([
  [{ code: '53100' }, 'Free some space on the disk of DATA_DIR'],
  [{ code: '42501' }, 'Check that the disk of DATA_DIR is writable'],
  [{ code: '58030' }, 'Check that the disk of DATA_DIR is writable'],
  [{ code: '40001' }, 'Try again'],
])('says what to do about %o of the embedded database', (failure, fix) => {
  expect(explainDatabaseFailure(failureOf(failure), 'embedded')?.fix).toContain(fix)
})

test.each([
  { code: '23505', message: 'duplicate key' },
  { code: 'ECONNREFUSED_TOO' },
  { code: 'NOT_EPIPE' },
  { code: 'AN_EPROTO' },
  { message: 'a Connection terminated' },
  { message: 'the Client was closed' },
  { message: 'could not connect ENOENT' },
  { code: 'UNABLE_TO_READ IT' },
])('says nothing about %o, which is no fault of the database', (failure) => {
  expect(explainDatabaseFailure(failureOf(failure))).toBeNull()
})

test('names the code of a failure without a message, and puts a long one on one line', () => {
  expect(explainDatabaseFailure({ code: 'EPIPE' })?.reason).toBe('EPIPE')
  expect(explainDatabaseFailure({ code: '57P03' })?.reason).toBe('no reason (57P03)')
  expect(explainDatabaseFailure(failureOf({ code: '57P03', message: ' it\n  starts ' }))?.reason).toBe('it starts (57P03)')
  // Node tries both addresses of a host.
  const both = Object.assign(new AggregateError([new Error('connect ECONNREFUSED ::1:5432')]), { code: 'ECONNREFUSED' })
  expect(explainDatabaseFailure(both)?.reason).toBe('connect ECONNREFUSED ::1:5432')
  const refused = Object.assign(new Error(''), { code: 'ECONNREFUSED' })
  expect(explainDatabaseFailure(new Error('all hosts failed', { cause: refused }))?.reason).toBe('all hosts failed')
})
