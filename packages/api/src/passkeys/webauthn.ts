import type { Passkey } from '@floorpass/db'
import {
  type AuthenticatorTransport,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server'
import {
  cose,
  decodeAttestationObject,
  decodeCredentialPublicKey,
  isoBase64URL,
  isoCBOR,
  verifySignature,
} from '@simplewebauthn/server/helpers'
import type { PasskeyAssertion, PasskeyRegistration } from './contract.ts'

// Only this file uses @simplewebauthn/server. It verifies the response of an authenticator. Callers decide what the response allows.

type WithoutExtensions<Options> = Omit<Options, 'extensions'> & { extensions?: { credProps?: boolean } }

/** What `navigator.credentials.create` needs. */
export type RegistrationOptions = WithoutExtensions<PublicKeyCredentialCreationOptionsJSON>

/** What `navigator.credentials.get` needs. */
export type AuthenticationOptions = WithoutExtensions<PublicKeyCredentialRequestOptionsJSON>

/** From the configuration, never from the request. */
export type RelyingParty = { rpId: string; origins: readonly string[] }

type KnownCredential = Pick<Passkey, 'credentialId' | 'transports'>

const toDescriptor = ({ credentialId, transports }: KnownCredential) => ({
  id: credentialId,
  transports: transports as AuthenticatorTransport[],
})

/** Every passkey is discoverable and verifies its user, so that each one can sign in by itself. */
export const createRegistrationOptions = (
  { rpId }: RelyingParty,
  options: {
    appName: string
    challenge: string
    user: { handle: string; name: string; displayName: string }
    exclude: readonly KnownCredential[]
    authenticatorAttachment: 'platform' | 'cross-platform' | undefined
  },
): Promise<RegistrationOptions> =>
  generateRegistrationOptions({
    rpName: options.appName,
    rpID: rpId,
    challenge: bytes(options.challenge),
    userID: bytes(options.user.handle),
    userName: options.user.name,
    userDisplayName: options.user.displayName,
    attestationType: 'none',
    excludeCredentials: options.exclude.map(toDescriptor),
    authenticatorSelection: {
      residentKey: 'required',
      userVerification: 'required',
      ...(options.authenticatorAttachment && { authenticatorAttachment: options.authenticatorAttachment }),
    },
    supportedAlgorithmIDs,
  })

/** EdDSA, ES256, RS256. */
const supportedAlgorithmIDs = [-8, -7, -257]

/** Without `allow`, the person picks a passkey of this service. */
export const createAuthenticationOptions = (
  { rpId }: RelyingParty,
  {
    challenge,
    allow,
    userVerification = 'preferred',
  }: { challenge: string; allow: readonly KnownCredential[]; userVerification?: 'preferred' | 'required' },
): Promise<AuthenticationOptions> =>
  generateAuthenticationOptions({
    rpID: rpId,
    challenge: bytes(challenge),
    userVerification,
    ...(allow.length > 0 && { allowCredentials: allow.map(toDescriptor) }),
  })

/** The challenge that the authenticator signed; null for malformed data. Not verified yet. */
export function readChallenge({ response }: { response: { clientDataJSON: string } }): string | null {
  try {
    const { challenge } = parseClientData(response)
    return typeof challenge === 'string' ? challenge : null
  } catch {
    return null
  }
}

export type NewCredential = Pick<
  Passkey,
  'credentialId' | 'publicKey' | 'counter' | 'isSyncable' | 'backedUp' | 'transports' | 'aaguid'
>

/** Requires user verification. Returns null when anything about the response is wrong. */
export async function verifyRegistration(
  { rpId, origins }: RelyingParty,
  response: PasskeyRegistration,
  challenge: string,
): Promise<NewCredential | null> {
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: {
        ...response,
        response: { ...response.response, attestationObject: dropAttestation(response.response.attestationObject) },
        clientExtensionResults: {},
      } as Parameters<typeof verifyRegistrationResponse>[0]['response'],
      expectedChallenge: challenge,
      expectedOrigin: [...origins],
      expectedRPID: rpId,
      requireUserVerification: true,
      supportedAlgorithmIDs,
    })
    if (!verified || isEmbedded(response)) return null
    const { credential, credentialDeviceType, credentialBackedUp, aaguid } = registrationInfo
    if (credential.id !== response.id) return null
    await assertPublicKey(credential.publicKey)
    return {
      credentialId: credential.id,
      publicKey: new Uint8Array(credential.publicKey),
      counter: BigInt(credential.counter),
      isSyncable: credentialDeviceType === 'multiDevice',
      backedUp: credentialBackedUp,
      transports: response.response.transports ?? [],
      aaguid,
    }
  } catch {
    return null
  }
}

export type Assertion = { userVerified: boolean; counter: bigint; isSyncable: boolean; backedUp: boolean }

/** Leaves the counter and user verification to the caller. Returns null when anything else about the response is wrong. */
export async function verifyAssertion(
  { rpId, origins }: RelyingParty,
  response: PasskeyAssertion,
  challenge: string,
  { credentialId, publicKey }: Pick<Passkey, 'credentialId' | 'publicKey'>,
): Promise<Assertion | null> {
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { ...response, clientExtensionResults: {} } as Parameters<typeof verifyAuthenticationResponse>[0]['response'],
      expectedChallenge: challenge,
      expectedOrigin: [...origins],
      expectedRPID: rpId,
      requireUserVerification: false,
      credential: { id: credentialId, publicKey: new Uint8Array(publicKey), counter: 0 },
    })
    if (!verified || isEmbedded(response)) return null
    return {
      userVerified: authenticationInfo.userVerified,
      counter: BigInt(authenticationInfo.newCounter),
      isSyncable: authenticationInfo.credentialDeviceType === 'multiDevice',
      backedUp: authenticationInfo.credentialBackedUp,
    }
  } catch {
    return null
  }
}

/** A JWK with its algorithm: verifiers of a receipt then need no COSE. Throws for a key that `verifyRegistration` never stores. */
export function toPublicJwk(publicKey: Uint8Array): Record<string, string> {
  const key = decodeCredentialPublicKey(new Uint8Array(publicKey))
  const encode = (part: Uint8Array<ArrayBuffer> | undefined) => isoBase64URL.fromBuffer(part ?? new Uint8Array())
  const { x, y, n, e } = cose.COSEKEYS
  if (cose.isCOSEPublicKeyEC2(key)) return { kty: 'EC', crv: 'P-256', alg: 'ES256', x: encode(key.get(x)), y: encode(key.get(y)) }
  if (cose.isCOSEPublicKeyOKP(key)) return { kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', x: encode(key.get(x)) }
  if (cose.isCOSEPublicKeyRSA(key)) return { kty: 'RSA', alg: 'RS256', n: encode(key.get(n)), e: encode(key.get(e)) }
  throw new Error('the passkey has a key of an unknown type')
}

/** We ask for no attestation, and the library would fetch the addresses in the certificates of some. */
function dropAttestation(attestationObject: string): string {
  const authData = decodeAttestationObject(isoBase64URL.toBuffer(attestationObject)).get('authData')
  const none = new Map<string, string | Uint8Array<ArrayBuffer> | Map<string, string>>()
  none.set('fmt', 'none').set('attStmt', new Map()).set('authData', authData)
  return isoBase64URL.fromBuffer(isoCBOR.encode(none))
}

/** Throws for bytes that are no key: such a passkey could never sign in. The signature itself is wrong. */
async function assertPublicKey(credentialPublicKey: Uint8Array<ArrayBuffer>): Promise<void> {
  const signature = new Uint8Array([0x30, 6, 2, 1, 1, 2, 1, 1])
  await verifySignature({ signature, data: new Uint8Array(1), credentialPublicKey })
}

/** Our pages are never framed, so a cross-origin frame is an attack. */
const isEmbedded = ({ response }: { response: { clientDataJSON: string } }): boolean =>
  parseClientData(response).crossOrigin === true

/** Throws for malformed data. */
const parseClientData = ({ clientDataJSON }: { clientDataJSON: string }) =>
  JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString('utf8')) as { challenge?: unknown; crossOrigin?: unknown }

const bytes = (base64url: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(base64url, 'base64url'))
