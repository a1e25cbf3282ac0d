import { Refusal } from '@gatehouse/kit/errors'
import type { Emit } from '@gatehouse/kit/events/emission'
import type { Logger } from '@gatehouse/kit/telemetry/log'
import type { AuthenticationResponseJSON, VerifiedAuthenticationResponse } from '@simplewebauthn/server'
import type { PendingLogin } from '../logins/pending-login.ts'
import type { OwnedPasskey } from '../logins/second-factor.ts'
import type { PublicUser } from '../users/user.ts'
import {
  type Ceremony,
  type ChallengeDeps,
  challengeLifetime,
  createChallenge,
  isMadeInFrame,
  type RelyingParty,
  spendChallenge,
  userHandleOf,
} from './webauthn.ts'
import { webauthnLibrary } from './webauthn-library.ts'

/** A passkey as stored. */
export type Passkey = OwnedPasskey & {
  id: string
  /** In the form of COSE (RFC 9052). */
  publicKey: Buffer
  /** Whether it may be copied to other devices. */
  backupEligible: boolean
  /**
   * Whether it verified its user when it was registered, or since then beside another factor. Until then anybody with the
   * authenticator could set its first PIN (`uvInitialized` in WebAuthn Level 3 section 4).
   */
  userVerified: boolean
  user: PublicUser
}

/** A pending login that a passkey begins. Its user is the passkey's owner. */
export type PasskeyLogin = Omit<PendingLogin, 'userId' | 'passwordHash' | 'connectionLogin'> & {
  /** In seconds. */
  lifetime: number
}

/** Stores passkeys. */
export type PasskeyStore = {
  find(credentialId: Buffer): Promise<Passkey | undefined>
  /**
   * Stores what an authenticator said when it signed.
   * @param login the pending login that begins with it, in the same statement: whoever removes the passkey ends it too
   * @returns 'counter' when it is bound to one device and its counter did not grow, so that it may have been copied; 'unknown'
   *   when it was removed meanwhile
   */
  use(
    id: string,
    use: { counter: number; backedUp: boolean; userVerified: boolean },
    login?: PasskeyLogin,
  ): Promise<'used' | 'counter' | 'unknown'>
}

/** The needs of proving a passkey. */
export type PasskeyDeps = ChallengeDeps & {
  passkeys: PasskeyStore
  /** undefined where no passkeys are offered. */
  relyingParty: RelyingParty | undefined
  emit: Emit
  log: Logger
}

/** The question to a browser: the JSON of PublicKeyCredentialRequestOptions (WebAuthn Level 3 section 5.1.9); undefined without a relying party. */
export async function passkeyQuestion(
  ceremony: Ceremony,
  { passkeys, verifyUser }: { passkeys: readonly OwnedPasskey[]; verifyUser: boolean },
  { relyingParty, ...deps }: ChallengeDeps & Pick<PasskeyDeps, 'relyingParty'>,
): Promise<string | undefined> {
  if (relyingParty === undefined) return undefined
  const { generateAuthenticationOptions } = await webauthnLibrary()
  const options = await generateAuthenticationOptions({
    rpID: relyingParty.id,
    challenge: await createChallenge(ceremony, deps),
    timeout: challengeLifetime * 1000,
    userVerification: verifyUser ? 'required' : 'preferred',
    allowCredentials: passkeys.map(descriptorOf),
  })
  return JSON.stringify(options)
}

/** A passkey as browsers are told of it. */
export function descriptorOf({ credentialId, transports }: OwnedPasskey) {
  return { id: credentialId.toString('base64url'), transports: [...transports] }
}

/** The result of proving a passkey. */
export type PasskeyProof =
  | { outcome: 'right'; user: PublicUser; methods: readonly string[] }
  /** `user` is the passkey's owner, if there is such a passkey. */
  | { outcome: 'wrong'; failure: PasskeyFailure; user: PublicUser | undefined }

/** Why a passkey proves nothing, as the login history has it. */
export type PasskeyFailure = 'unknown_passkey' | 'invalid_passkey' | 'passkey_counter'

/**
 * Checks a browser's answer (WebAuthn Level 3 section 7.2) and spends its challenge.
 * @param answer the JSON of AuthenticationResponseJSON
 * @param expected the user whose passkey it must be; or the login that any passkey begins. Then its user handle must be the owner's
 *   and the user must be verified, by an authenticator that verified them before
 * @throws Refusal temporarily_unavailable when the database is away
 */
export async function provePasskey(
  answer: string,
  ceremony: Ceremony,
  expected: { userId: string } | { login: PasskeyLogin },
  deps: PasskeyDeps,
): Promise<PasskeyProof> {
  const wrong = (failure: PasskeyFailure, user?: PublicUser) => ({ outcome: 'wrong', failure, user }) as const
  const response = readAnswer(answer)
  if (response === undefined) return wrong('invalid_passkey')
  const passkey = await deps.passkeys.find(Buffer.from(response.id, 'base64url'))
  const alone = 'login' in expected
  if (passkey === undefined || (!alone && expected.userId !== passkey.user.id))
    return wrong('unknown_passkey')
  const { user } = passkey
  const verified = await verify(response, passkey, { ceremony, alone }, deps)
  if (verified === undefined) return wrong('invalid_passkey', user)
  if (alone && !passkey.userVerified) return wrong('invalid_passkey', user)
  const { newCounter: counter, credentialBackedUp: backedUp, userVerified } = verified
  const login = alone ? expected.login : undefined
  const used = await deps.passkeys.use(passkey.id, { counter, backedUp, userVerified }, login)
  if (used === 'unknown') return wrong('unknown_passkey')
  if (used === 'counter') {
    // Section 6.1.1: another device has the key too, or the authenticator is broken.
    deps.log.warn({ user_id: user.id, passkey_id: passkey.id }, 'a passkey’s counter did not grow')
    deps.emit('passkey_counter_decreased', { userId: user.id, metadata: { passkey_id: passkey.id } })
    return wrong('passkey_counter', user)
  }
  return { outcome: 'right', user, methods: passkeyMethods(passkey) }
}

/**
 * The methods that a passkey proves (RFC 8176): a key that may be copied to other devices is in software, and somebody was there to
 * confirm.
 */
export function passkeyMethods({ backupEligible }: Pick<Passkey, 'backupEligible'>): readonly string[] {
  return [backupEligible ? 'swk' : 'hwk', 'user']
}

/** The longest answer of a browser, in characters; one with the longest key is far shorter. */
export const longestAnswer = 20_000

function readAnswer(text: string): AuthenticationResponseJSON | undefined {
  try {
    const value = text.length > longestAnswer ? undefined : JSON.parse(text)
    return typeof value?.id === 'string' ? value : undefined
  } catch {
    return undefined
  }
}

async function verify(
  response: AuthenticationResponseJSON,
  passkey: Passkey,
  { ceremony, alone }: { ceremony: Ceremony; alone: boolean },
  deps: PasskeyDeps,
): Promise<VerifiedAuthenticationResponse['authenticationInfo'] | undefined> {
  const { relyingParty, log } = deps
  if (relyingParty === undefined) return undefined
  const { decodeClientDataJSON, verifyAuthenticationResponse } = await webauthnLibrary()
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: (challenge) => spendChallenge(challenge, ceremony, deps),
      expectedOrigin: relyingParty.origin,
      expectedRPID: relyingParty.id,
      // The counter 0 switches the library's own check off, which would also refuse passkeys that are on several devices.
      credential: {
        id: response.id,
        publicKey: new Uint8Array(passkey.publicKey),
        counter: 0,
        transports: [...passkey.transports],
      },
      requireUserVerification: alone,
    })
    const eligible = authenticationInfo.credentialDeviceType === 'multiDevice'
    const consistent = eligible === passkey.backupEligible && isOwners(response, passkey, alone)
    // Section 7.2 step 12.
    const framed = isMadeInFrame(decodeClientDataJSON(response.response.clientDataJSON))
    return verified && consistent && !framed ? authenticationInfo : undefined
  } catch (error) {
    if (error instanceof Refusal) throw error
    // Not the library's message, which may contain what a stranger sent.
    log.info({ user_id: passkey.user.id }, 'the answer of a passkey is invalid')
    return undefined
  }
}

/** Whether the user handle, if there is one, is the owner's (section 7.2 step 6). */
function isOwners({ response }: AuthenticationResponseJSON, { user }: Passkey, needed: boolean): boolean {
  const { userHandle } = response
  if (!userHandle) return !needed
  return Buffer.from(userHandle, 'base64url').equals(userHandleOf(user.id))
}
