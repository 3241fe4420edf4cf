import { randomUUID } from 'node:crypto'
import type { Database, Transaction } from '@floorpass/db'
import { exportJWK, generateKeyPair, importJWK, type JWK } from 'jose'
import type { Log } from '../kernel/log.ts'
import { policy } from '../kernel/policy.ts'
import type { SecretBox } from '../kernel/secret-box.ts'

export type SigningKey = { id: string; key: CryptoKey }

/** Standby, signing and retired keys follow from `signsFrom` and the clock, so all processes agree (ADR 035). */
export type SigningKeys = {
  current(): Promise<SigningKey>
  findPublicKey(id: string): Promise<CryptoKey | null>
  /** The public keys of standby, signing and retired keys. */
  list(): Promise<JWK[]>
  /** The standby key signs as soon as every verifier can know it. Returns this time. */
  rotate(): Promise<Date>
}

type Options = { db: Database; secretBox: SecretBox; log: Log }

type Row = { id: string; publicKey: unknown; privateKeySealed: string; signsFrom: Date; createdAt: Date }

/** `privateKey` is null when AUTH_SECRET no longer opens it. */
type Key = { id: string; jwk: JWK; publicKey: CryptoKey; privateKey: CryptoKey | null; signsFrom: Date; createdAt: Date }

export const signingAlgorithm = 'ES256'

const { rotateEvery, publishedBefore, inMemory, keepRetired } = policy.signingKeys

export function createSigningKeys({ db, secretBox, log }: Options): SigningKeys {
  let known: { keys: readonly Key[]; readAt: number } | null = null
  let reading: Promise<readonly Key[]> | null = null

  const getKeys = async (): Promise<readonly Key[]> => {
    const age = known ? Date.now() - known.readAt : Number.POSITIVE_INFINITY
    if (known && age >= 0 && age < inMemory * 1000) return known.keys
    reading ??= readKeys().finally(() => {
      reading = null
    })
    const former = known
    const keys = await reading.catch((err: unknown) => {
      if (!former) throw err
      log.warn({ err }, 'signing keys cannot be read: using those in memory')
      return former.keys
    })
    known = { keys, readAt: Date.now() }
    return keys
  }

  const readKeys = async (): Promise<readonly Key[]> => {
    const keys = withoutRetired(await openKeys(await findRows(db)))
    return isComplete(keys) ? keys : db.$transaction((tx) => addMissingKeys(tx))
  }

  const openKeys = (rows: readonly Row[]): Promise<Key[]> => Promise.all(rows.map(openKey))

  const openKey = async ({ id, publicKey, privateKeySealed, ...times }: Row): Promise<Key> => {
    const jwk = publicKey as JWK
    return { ...times, id, jwk, publicKey: await toCryptoKey(jwk), privateKey: await openPrivateKey(id, privateKeySealed) }
  }

  const openPrivateKey = async (id: string, sealed: string): Promise<CryptoKey | null> => {
    try {
      return await toCryptoKey(JSON.parse(secretBox.open(sealed, ['signing_keys.private_key_sealed', id])) as JWK)
    } catch (err) {
      log.warn({ err, keyId: id }, 'signing key cannot be opened')
      return null
    }
  }

  /** Under a lock: all processes of a new service start with the same keys. */
  const addMissingKeys = async (tx: Transaction): Promise<Key[]> => {
    await lockKeys(tx)
    const keys = await openKeys(await findRows(tx))
    if (!findSigner(keys)) await createKey(tx, new Date())
    if (!findStandby(keys)) await createKey(tx, secondsFromNow(rotateEvery))
    const needed = withoutRetired(await openKeys(await findRows(tx)))
    await tx.signingKey.deleteMany({ where: { id: { notIn: needed.map(({ id }) => id) } } })
    return needed
  }

  const createKey = async (tx: Transaction, signsFrom: Date): Promise<void> => {
    const id = randomUUID()
    const { publicKey, privateKey } = await generateKeyPair(signingAlgorithm, { extractable: true })
    const jwk = { ...(await exportJWK(publicKey)), kid: id, alg: signingAlgorithm, use: 'sig' }
    const privateJwk = JSON.stringify({ ...(await exportJWK(privateKey)), alg: signingAlgorithm })
    const privateKeySealed = secretBox.seal(privateJwk, ['signing_keys.private_key_sealed', id])
    await tx.signingKey.create({ data: { id, publicKey: jwk, privateKeySealed, signsFrom, createdAt: new Date() } })
  }

  return {
    async current() {
      const signer = findSigner(await getKeys())
      if (!signer) throw new Error('no signing key can be opened')
      return { id: signer.id, key: signer.privateKey }
    },
    findPublicKey: async (id) => (await getKeys()).find((key) => key.id === id)?.publicKey ?? null,
    list: async () => (await getKeys()).map(({ jwk }) => jwk),
    rotate: () =>
      db.$transaction(async (tx) => {
        const standby = findStandby(await addMissingKeys(tx))
        if (!standby) throw new Error('no standby key')
        const published = standby.createdAt.getTime() + publishedBefore * 1000
        // Every process must have read the new time before it comes.
        const signsFrom = new Date(Math.max(published, secondsFromNow(4 * inMemory).getTime()))
        if (standby.signsFrom <= signsFrom) return standby.signsFrom
        await tx.signingKey.update({ where: { id: standby.id }, data: { signsFrom } })
        await createKey(tx, secondsFromNow(rotateEvery))
        return signsFrom
      }),
  }
}

type OpenKey = Key & { privateKey: CryptoKey }

const canSign = (key: Key): key is OpenKey => key.privateKey !== null

const findSigner = (keys: readonly Key[]): OpenKey | undefined =>
  keys.filter(canSign).findLast(({ signsFrom }) => signsFrom <= new Date())

const findStandby = (keys: readonly Key[]): OpenKey | undefined =>
  keys.filter(canSign).find(({ signsFrom }) => signsFrom > new Date())

const isComplete = (keys: readonly Key[]): boolean => findSigner(keys) !== undefined && findStandby(keys) !== undefined

const findRows = (db: Pick<Transaction, 'signingKey'>): Promise<Row[]> =>
  db.signingKey.findMany({ orderBy: { signsFrom: 'asc' } })

const lockKeys = (tx: Transaction): Promise<number> =>
  tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtext('floorpass signing keys'))`

/** Only a key that can sign retires those before it. */
const isRetired = (key: Key, keys: readonly Key[]): boolean =>
  keys.some((next) => canSign(next) && next.signsFrom > key.signsFrom && next.signsFrom <= secondsFromNow(-keepRetired))

const withoutRetired = (keys: readonly Key[]): Key[] => keys.filter((key) => !isRetired(key, keys))

const toCryptoKey = async (jwk: JWK): Promise<CryptoKey> => (await importJWK(jwk, signingAlgorithm)) as CryptoKey

const secondsFromNow = (seconds: number): Date => new Date(Date.now() + seconds * 1000)
