import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

type CreationOptions = { challenge: string; rp: { id?: string }; user: { id: string }; excludeCredentials?: { id: string }[] }
type RequestOptions = { challenge: string; rpId?: string; allowCredentials?: { id: string }[] }

/** What a broken or hostile authenticator or page changes. */
type Deviation = {
  origin?: string
  rpId?: string
  crossOrigin?: boolean
  userVerified?: boolean
  userHandle?: string | null
  counter?: number
  type?: string
  /** The format of an attestation whose statement is nonsense. */
  attestation?: string
  /** The id that the authenticator signs, beside the one that the page sends. */
  signedId?: Uint8Array
  /** In place of a key of the COSE format. */
  publicKey?: Uint8Array
  /** Whether the credential may be synced, as told in a sign-in. */
  isSyncable?: boolean
}

type Credential = { id: string; privateKey: KeyObject; userHandle: string; counter: number }

const flag = { userPresent: 0x01, userVerified: 0x04, backupEligible: 0x08, backedUp: 0x10, attestedCredential: 0x40 }
const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url')
const sha256 = (data: string | Uint8Array): Buffer => createHash('sha256').update(data).digest()

type Algorithm = keyof typeof algorithms
type Options = { aaguid?: string; isSyncable?: boolean; algorithm?: Algorithm }

/** A WebAuthn authenticator with discoverable credentials. Answers as @simplewebauthn/browser does. */
export function createSoftwareAuthenticator({ aaguid = '0'.repeat(32), isSyncable = false, algorithm = 'ES256' }: Options = {}) {
  const { createKeys, toCose, digest } = algorithms[algorithm]
  const credentials: Credential[] = []
  const backup = (isSyncable ? flag.backupEligible : 0) | (isSyncable ? flag.backedUp : 0)

  const clientData = (type: string, challenge: string, { origin = 'http://localhost:3000', crossOrigin = false }: Deviation) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin }))

  function authenticatorData(rpId: string, flags: number, counter: number, attested: Uint8Array = Buffer.alloc(0)): Buffer {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter)
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), count, attested])
  }

  return {
    credentials,

    register(options: CreationOptions, deviation: Deviation = {}) {
      if (options.excludeCredentials?.some(({ id }) => credentials.some((known) => known.id === id)))
        throw Object.assign(new Error('already registered'), { name: 'InvalidStateError' })
      const { publicKey, privateKey } = createKeys()
      const id = randomBytes(16)
      credentials.push({ id: base64url(id), privateKey, userHandle: options.user.id, counter: 0 })
      const signedId = deviation.signedId ?? id
      const attested = Buffer.concat([
        Buffer.from(aaguid.replaceAll('-', ''), 'hex'),
        Buffer.from([signedId.length >> 8, signedId.length & 0xff]),
        signedId,
        deviation.publicKey ?? toCose(publicKey),
      ])
      const verified = deviation.userVerified === false ? 0 : flag.userVerified
      const flags = flag.userPresent | verified | backup | flag.attestedCredential
      const authData = authenticatorData(deviation.rpId ?? options.rp.id ?? '', flags, 0, attested)
      return {
        id: base64url(id),
        rawId: base64url(id),
        type: 'public-key',
        authenticatorAttachment: 'platform',
        response: {
          attestationObject: base64url(attestationObject(authData, deviation.attestation)),
          clientDataJSON: base64url(clientData(deviation.type ?? 'webauthn.create', options.challenge, deviation)),
          transports: ['internal', 'hybrid'],
        },
      }
    },

    authenticate(options: RequestOptions, deviation: Deviation = {}) {
      const allowed = options.allowCredentials?.map(({ id }) => id)
      const credential = credentials.findLast(({ id }) => allowed?.includes(id) ?? true)
      if (!credential) throw Object.assign(new Error('no credential'), { name: 'NotAllowedError' })
      credential.counter = deviation.counter ?? credential.counter + 1
      const told = deviation.isSyncable === undefined ? backup : deviation.isSyncable ? flag.backupEligible : 0
      const flags = flag.userPresent | (deviation.userVerified === false ? 0 : flag.userVerified) | told
      const authData = authenticatorData(deviation.rpId ?? options.rpId ?? '', flags, credential.counter)
      const data = clientData(deviation.type ?? 'webauthn.get', options.challenge, deviation)
      const signature = sign(digest, Buffer.concat([authData, sha256(data)]), credential.privateKey)
      const userHandle = deviation.userHandle === undefined ? credential.userHandle : deviation.userHandle
      return {
        id: credential.id,
        rawId: credential.id,
        type: 'public-key',
        authenticatorAttachment: 'platform',
        response: {
          authenticatorData: base64url(authData),
          clientDataJSON: base64url(data),
          signature: base64url(signature),
          ...(userHandle !== null && { userHandle }),
        },
      }
    },
  }
}

export type SoftwareAuthenticator = ReturnType<typeof createSoftwareAuthenticator>

/** A COSE key (RFC 9053): the bytes before each part of the key, in hex, and the name of the part in a JWK. */
const encodeKey =
  (...parts: [hex: string, name: 'x' | 'y' | 'n' | 'e'][]) =>
  (key: KeyObject): Buffer => {
    const jwk = key.export({ format: 'jwk' })
    return Buffer.concat(parts.flatMap(([hex, name]) => [Buffer.from(hex, 'hex'), Buffer.from(jwk[name] ?? '', 'base64url')]))
  }

const algorithms = {
  /** `{ 1: 2, 3: -7, -1: 1, -2: x, -3: y }` */
  ES256: {
    createKeys: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    toCose: encodeKey(['a5010203262001215820', 'x'], ['225820', 'y']),
    digest: 'sha256',
  },
  /** `{ 1: 1, 3: -8, -1: 6, -2: x }` */
  EdDSA: {
    createKeys: () => generateKeyPairSync('ed25519'),
    toCose: encodeKey(['a4010103272006215820', 'x']),
    digest: null,
  },
  /** `{ 1: 3, 3: -257, -1: n, -2: e }` */
  RS256: {
    createKeys: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
    toCose: encodeKey(['a401030339010020590100', 'n'], ['2143', 'e']),
    digest: 'sha256',
  },
}

/** CBOR of `{ fmt, attStmt, authData }`. The statement is `{}`, or `{ x5c: 0 }`. */
function attestationObject(authData: Buffer, format = 'none'): Buffer {
  const text = (value: string) => Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)])
  const statement = format === 'none' ? Buffer.from([0xa0]) : Buffer.concat([Buffer.from([0xa1]), text('x5c'), Buffer.from([0])])
  const length = Buffer.from([0x59, authData.length >> 8, authData.length & 0xff])
  const head = [Buffer.from([0xa3]), text('fmt'), text(format), text('attStmt'), statement, text('authData')]
  return Buffer.concat([...head, length, authData])
}
