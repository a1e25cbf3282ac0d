import { Refusal } from '@gatehouse/kit/errors'
import { visibleTextFault } from '@gatehouse/kit/people/visible-text'
import type { RegistrationResponseJSON } from '@simplewebauthn/server'
import type { AttestationObject } from '@simplewebauthn/server/helpers'
import { hasLength } from '../basics/text.ts'
import type { FactorOwner, OwnerState } from '../logins/second-factor.ts'
import { descriptorOf, longestAnswer, type PasskeyDeps } from './passkey.ts'
import {
  challengeLifetime,
  createChallenge,
  isMadeInFrame,
  spendChallenge,
  userHandleOf,
} from './webauthn.ts'
import { webauthnLibrary } from './webauthn-library.ts'

/** A passkey to store. */
export type NewPasskey = {
  id: string
  credentialId: Buffer
  publicKey: Buffer
  counter: number
  transports: readonly string[]
  backupEligible: boolean
  backedUp: boolean
  /** Whether the authenticator verified its user, as by fingerprint or PIN. */
  userVerified: boolean
  name: string
}

/** In characters. */
const longestName = 100

/** Whether people can read a text as the name of a passkey. */
export function isPasskeyName(name: string): boolean {
  return hasLength(name, 1, longestName) && visibleTextFault(name) === undefined
}

/** The needs of registering passkeys. */
export type RegistrationDeps = Pick<PasskeyDeps, 'challenges' | 'randomBytes' | 'relyingParty' | 'log'> & {
  randomUuid(): string
}

const ceremonyOf = ({ digest }: FactorOwner) => ({ purpose: 'registration', ownerDigest: digest }) as const

/**
 * The question to a browser that registers a passkey: the JSON of PublicKeyCredentialCreationOptions (WebAuthn Level 3 section 5.1.8).
 * No attestation, since any authenticator will do. The passkey can be used without a user name where the authenticator can.
 * @returns undefined when this server offers no passkeys
 */
export async function registrationQuestion(
  owner: FactorOwner,
  { user, passkeys }: Pick<OwnerState, 'user' | 'passkeys'>,
  { relyingParty, ...deps }: RegistrationDeps,
): Promise<string | undefined> {
  if (relyingParty === undefined) return undefined
  const { generateRegistrationOptions } = await webauthnLibrary()
  const options = await generateRegistrationOptions({
    rpName: relyingParty.id,
    rpID: relyingParty.id,
    userName: user.username,
    userDisplayName: user.username,
    userID: userHandleOf(user.id),
    challenge: await createChallenge(ceremonyOf(owner), deps),
    timeout: challengeLifetime * 1000,
    attestationType: 'none',
    excludeCredentials: passkeys.map(descriptorOf),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
    supportedAlgorithmIDs: [...algorithms],
  })
  return JSON.stringify(options)
}

/** In bytes (WebAuthn Level 3 section 7.1 step 25). */
const longestCredentialId = 1_023

/** ES256, EdDSA, RS256, as COSE numbers them (RFC 9053, RFC 8812): what authenticators know. */
const algorithms = [-7, -8, -257]

/**
 * Checks a browser's answer (WebAuthn Level 3 section 7.1) and spends its challenge.
 * @param answer the JSON of RegistrationResponseJSON
 * @returns undefined when it is invalid, or the answer to no open challenge of this owner
 * @throws Refusal temporarily_unavailable when the database is away
 */
export async function readRegistration(
  owner: FactorOwner,
  { answer, name }: { answer: string; name: string },
  deps: RegistrationDeps,
): Promise<NewPasskey | undefined> {
  const { relyingParty, log, randomUuid } = deps
  if (relyingParty === undefined || answer.length > longestAnswer) return undefined
  const { decodeAttestationObject, decodeClientDataJSON, verifyRegistrationResponse } =
    await webauthnLibrary()
  try {
    const response: RegistrationResponseJSON = JSON.parse(answer)
    const { attestationObject, clientDataJSON } = response.response
    // Of an object with a `length`, Buffer and the library would make as many bytes.
    if (typeof attestationObject !== 'string' || typeof clientDataJSON !== 'string') return undefined
    const attestation = Buffer.from(attestationObject, 'base64url')
    // Section 7.1 step 10.
    if (isMadeInFrame(decodeClientDataJSON(clientDataJSON))) return undefined
    if (!isUnattested(decodeAttestationObject(new Uint8Array(attestation)))) return undefined
    const { registrationInfo: info } = await verifyRegistrationResponse({
      response,
      expectedChallenge: (challenge) => spendChallenge(challenge, ceremonyOf(owner), deps),
      expectedOrigin: relyingParty.origin,
      expectedRPID: relyingParty.id,
      requireUserVerification: false,
      supportedAlgorithmIDs: [...algorithms],
    })
    if (info === undefined) return undefined
    const { id, publicKey, counter } = info.credential
    const credentialId = Buffer.from(id, 'base64url')
    if (credentialId.length > longestCredentialId) return undefined
    return {
      id: randomUuid(),
      credentialId,
      publicKey: Buffer.from(publicKey),
      counter,
      transports: knownTransports(response.response.transports),
      backupEligible: info.credentialDeviceType === 'multiDevice',
      backedUp: info.credentialBackedUp,
      userVerified: info.userVerified,
      name,
    }
  } catch (error) {
    if (error instanceof Refusal) throw error
    // Not the library's message, which may contain what was sent.
    log.info({ owner: owner.kind }, 'the answer of a new passkey is invalid')
    return undefined
  }
}

/**
 * Whether no manufacturer vouches for the authenticator, or only its own key. Browsers drop other statements because the question
 * asks for none; certificates that come all the same are not looked at.
 */
function isUnattested(attestation: AttestationObject): boolean {
  const format = attestation.get('fmt')
  return format === 'none' || (format === 'packed' && attestation.get('attStmt').get('x5c') === undefined)
}

/** WebAuthn Level 3 section 5.8.4, and `cable` of earlier browsers. */
const transports = ['usb', 'nfc', 'ble', 'smart-card', 'hybrid', 'internal', 'cable']

function knownTransports(sent: unknown): string[] {
  return Array.isArray(sent) ? transports.filter((transport) => sent.includes(transport)) : []
}
