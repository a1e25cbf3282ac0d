import { networkOf } from '@gatehouse/kit/network'
import { keptIpAddress, keptUserAgent, storable } from '@gatehouse/kit/storable'
import { createSecret, digestOf } from '../basics/secret.ts'
import { type CompletionDeps, completeLogin, type ProvingBrowser } from '../logins/login-completion.ts'
import { type RecordingDeps, recordLogin } from '../logins/login-history.ts'
import type { NewSession } from '../logins/session.ts'
import { type PasskeyDeps, type PasskeyProof, passkeyQuestion, provePasskey } from './passkey.ts'
import { challengeLifetime } from './webauthn.ts'

const method = 'passkey'

/** The needs of logging in with a passkey alone. */
export type PasskeyLoginDeps = PasskeyDeps & CompletionDeps & RecordingDeps

/** A question to a browser, and the secret that it must bring back. */
export type PasskeyLoginQuestion = {
  /** The JSON of PublicKeyCredentialRequestOptions; undefined when this server offers no passkeys. */
  options: string | undefined
  browserSecret: string
  /** In seconds. */
  lifetime: number
}

/** Asks a browser for any passkey of this server. Nobody needs to say before who they are. */
export async function beginPasskeyLogin(
  deps: Pick<PasskeyDeps, 'challenges' | 'randomBytes' | 'relyingParty'>,
): Promise<PasskeyLoginQuestion> {
  const browserSecret = createSecret(deps.randomBytes)
  const ceremony = { purpose: 'login', ownerDigest: digestOf(browserSecret) } as const
  const options = await passkeyQuestion(ceremony, { passkeys: [], verifyUser: true }, deps)
  return { options, browserSecret, lifetime: challengeLifetime }
}

/** A browser's answer. */
export type PasskeyAnswer = ProvingBrowser & {
  /** The JSON of AuthenticationResponseJSON. */
  answer: string
  browserSecret: string
  clientId?: string | undefined
}

/**
 * Logs a user in with a passkey alone. The passkey is one factor, and its authenticator verified the user by a second one, so
 * this satisfies a demand for two factors. The attempt is recorded.
 * @throws Refusal temporarily_unavailable when the database is away
 */
export async function logInWithPasskey(
  { answer, browserSecret, clientId, ...browser }: PasskeyAnswer,
  deps: PasskeyLoginDeps,
): Promise<{ outcome: 'right'; value: NewSession } | { outcome: 'wrong' }> {
  const ceremony = { purpose: 'login', ownerDigest: digestOf(browserSecret) } as const
  const secretDigest = digestOf(createSecret(deps.randomBytes))
  const login = {
    secretDigest,
    loginMethod: method,
    methods: [],
    ipAddress: keptIpAddress(browser.ipAddress),
    userAgent: keptUserAgent(browser.userAgent),
    clientId: clientId && storable(clientId),
    lifetime: completionLifetime,
  }
  const proof = await provePasskey(answer, ceremony, { login }, deps)
  if (proof.outcome === 'wrong') {
    await recordWrong(proof, { ...browser, clientId }, deps)
    return { outcome: 'wrong' }
  }
  const owner = { kind: 'pending', digest: secretDigest } as const
  const state = { user: proof.user, methods: [], loginMethod: method, clientId }
  const session = await completeLogin(owner, { state, proven: proof.methods }, browser, deps)
  return session ? { outcome: 'right', value: session } : { outcome: 'wrong' }
}

/** Between the two statements of a login, in seconds. */
const completionLifetime = 30

/** Records a wrong answer. Anybody can send answers about made-up passkeys, so of those at most one a minute and network is. */
async function recordWrong(
  { failure, user }: PasskeyProof & { outcome: 'wrong' },
  origin: ProvingBrowser & { clientId: string | undefined },
  deps: PasskeyLoginDeps,
): Promise<void> {
  if (user === undefined && !deps.mayRecord([`passkey network ${networkOf(origin.ipAddress)}`])) return
  await recordLogin(origin, { userId: user?.id, method, failure }, deps)
  deps.emit('user_authentication_failed', { userId: user?.id, error: failure, metadata: { method } })
}
