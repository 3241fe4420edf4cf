import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { type ConnectionOptions, createSecureContext, getCACertificates } from 'node:tls'
import type { PostgresTls } from '@floorpass/env/postgres-url'

export class PostgresTlsError extends Error {
  override name = 'PostgresTlsError'
  readonly reason: string
  readonly fix: string
  // Prisma's adapter passes on only errors with the fields of PostgreSQL's.
  readonly code = '08001'
  readonly severity = 'FATAL'

  constructor(reason: string, fix: string) {
    super(`${reason}. ${fix}`)
    this.reason = reason
    this.fix = fix
  }
}

/** Reads the files of libpq's TLS parameters: for each connection, so that a renewed certificate needs no restart. */
export async function readTlsOptions(tls: PostgresTls): Promise<ConnectionOptions> {
  const { mode, sslrootcert, sslcert, sslkey, sslpassword, sslcrl, minVersion } = tls
  if (sslkey) await assertPrivate(sslkey)
  const options: ConnectionOptions = {
    minVersion,
    rejectUnauthorized: mode !== 'require',
    ...(mode === 'verify-ca' && { checkServerIdentity: () => undefined }),
    ...(sslrootcert === 'system' && { ca: getCACertificates('system') }),
    ...(sslrootcert &&
      sslrootcert !== 'system' && { ca: await readPem('sslrootcert', sslrootcert, (pem) => new X509Certificate(pem)) }),
    ...(sslcert && { cert: await readPem('sslcert', sslcert, (pem) => new X509Certificate(pem)) }),
    ...(sslkey && {
      key: await readPem('sslkey', sslkey, (pem) =>
        createPrivateKey({ key: pem, ...(sslpassword && { passphrase: sslpassword }) }),
      ),
    }),
    ...(sslkey && sslpassword && { passphrase: sslpassword }),
    ...(sslcrl && { crl: await readPem('sslcrl', sslcrl, (pem) => createSecureContext({ crl: pem })) }),
  }
  try {
    createSecureContext(options)
  } catch {
    throw new PostgresTlsError(
      `sslkey ${sslkey} does not belong to sslcert ${sslcert}`,
      'Set the pair that your certificate authority issued.',
    )
  }
  return options
}

async function readPem(parameter: string, file: string, parse: (pem: string) => unknown): Promise<string> {
  const pem = await readFile(file, 'utf8').catch(throwUnreadable(parameter, file))
  try {
    parse(pem)
  } catch {
    const fix =
      parameter === 'sslkey' ? 'Set a key in PEM format, and sslpassword if the file is encrypted.' : 'Set a file in PEM format.'
    throw new PostgresTlsError(`${parameter} ${file} is damaged or has another format`, fix)
  }
  return pem
}

/** As in libpq: 0600, or 0640 when root owns the file. */
async function assertPrivate(file: string): Promise<void> {
  const { uid, mode } = await stat(file).catch(throwUnreadable('sslkey', file))
  const forbidden = uid === 0 ? 0o037 : 0o077
  if ((mode & forbidden) === 0) return
  throw new PostgresTlsError(
    `other users can read sslkey ${file} (mode ${(mode & 0o777).toString(8).padStart(4, '0')})`,
    `Run: chmod 600 ${file}`,
  )
}

const throwUnreadable =
  (parameter: string, file: string) =>
  (error: NodeJS.ErrnoException): never => {
    const why = error.code === 'ENOENT' ? 'does not exist' : `cannot be read (${error.code})`
    throw new PostgresTlsError(`${parameter} ${file} ${why}`, 'Set a file that the user of this service may read.')
  }
