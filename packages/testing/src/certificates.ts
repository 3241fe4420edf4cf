import { execFileSync } from 'node:child_process'
import { chmod, chown, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** PEM files of a certificate authority made for a test. `issue` makes a certificate and its key for a host or, with null, for a client. */
export type Authority = {
  certificate: string
  issue(commonName: string, host: string | null): Promise<{ certificate: string; key: string }>
}

export async function createAuthority(folder: string, name: string): Promise<Authority> {
  const file = (ending: string) => join(folder, `${name}${ending}`)
  const openssl = (...args: string[]) => void execFileSync('openssl', args, { stdio: 'pipe' })
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  openssl('req', '-x509', ...newKey, '-keyout', file('.key'), '-out', file('.pem'), '-subj', `/CN=${name}`, '-days', '2')
  return {
    certificate: file('.pem'),
    async issue(commonName, host) {
      const [key, request, certificate] = ['.key', '.csr', '.pem'].map((ending) => file(`-${commonName}${ending}`)) as [
        string,
        string,
        string,
      ]
      openssl('req', ...newKey, '-keyout', key, '-out', request, '-subj', `/CN=${commonName}`)
      const extensions = file('.ext')
      await writeFile(extensions, host ? `subjectAltName=DNS:${host}` : 'extendedKeyUsage=clientAuth')
      const signer = ['-CA', file('.pem'), '-CAkey', file('.key'), '-CAcreateserial']
      openssl('x509', '-req', '-in', request, '-out', certificate, ...signer, '-extfile', extensions, '-days', '2')
      await chmod(key, 0o600)
      return { certificate, key }
    },
  }
}

/** PostgreSQL runs as another user than root, and reads its key only from its own file. */
export async function giveToServer(file: string): Promise<void> {
  if (process.getuid?.() !== 0) return
  const read = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  await chown(file, read('-u'), read('-g'))
}
