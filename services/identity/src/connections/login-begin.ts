import { networkOf } from '@gatehouse/kit/network'
import { storable } from '@gatehouse/kit/storable'
import { isConnectionId } from '@gatehouse/proto/connections'
import { exportJWK } from 'jose/key/export'
import { generateKeyPair } from 'jose/key/generate/keypair'
import { digestOf, digestsOf } from '../basics/secret.ts'
import { createLoginSecrets } from '../providers/login-secrets.ts'
import { ProviderFailure, type SocialProvider } from '../providers/social-provider.ts'
import type { ConnectionLoginDeps, ConnectionProblem } from './connection-login.ts'
import { isOpen, type LoginConnection } from './login-connection.ts'
import { connectionLoginLifetime, type LoginPurpose } from './pending-connection-login.ts'

/** A login, a link or a try that is to begin. */
export type BeginningLogin = {
  connectionId: string
  /** Returned when it finishes. */
  returnTo?: string | undefined
  /** Whether the provider is asked to authenticate the person again. */
  again: boolean
  /** How long ago they may have logged in there, in seconds; absent for any time. */
  maxAge?: number | undefined
  /** The address or the name that the provider's page may show. */
  loginHint?: string | undefined
  purpose: LoginPurpose
  /** The session of the user who links or tries. */
  sessionSecret?: string | undefined
  /** Where the browser is; undefined if that is unknown. */
  ipAddress?: string | undefined
}

/** The address of the provider, and the secret that binds what began to the browser; or why nothing began. */
export type BegunConnectionLogin = { name: string } & (
  | { authorizationUrl: string; browserSecret: string }
  | { problem: ConnectionProblem; detail?: string | undefined }
)

/** In characters: an address or a name. */
const longestHint = 320

/** In characters: more than an IPv6 network with its zone has. */
const longestNetwork = 100

/** Begins a login, a link or a try. */
export async function beginConnectionLogin(
  { connectionId, purpose, returnTo, sessionSecret, ipAddress = '', ...wanted }: BeginningLogin,
  deps: ConnectionLoginDeps,
): Promise<BegunConnectionLogin> {
  const known = deps.isOn && isConnectionId(connectionId)
  const connection = known ? await deps.loginConnections.find(connectionId) : undefined
  if (connection === undefined || (purpose !== 'test' && !isOpen(connection)))
    return { name: '', problem: 'no connection' }
  const { name } = connection
  const userId = purpose === 'login' ? undefined : await userFor(purpose, sessionSecret, connection, deps)
  if (purpose !== 'login' && userId === undefined) return { name, problem: 'session' }
  const { state, nonce, codeVerifier, browserSecret } = createLoginSecrets(deps.randomBytes)
  const maxAge = wanted.again ? 0 : wanted.maxAge
  try {
    const provider = await deps.providers.of(connection)
    const proof = await proofFor(provider, connection, deps)
    const wishes = {
      ...{ again: wanted.again, maxAge, acrValues: connection.acrValues },
      loginHint: wanted.loginHint?.slice(0, longestHint),
    }
    const secrets = { state, nonce, codeVerifier, proofKey: proof?.key }
    const authorizationUrl = await provider.authorizationUrl(secrets, wishes)
    await deps.connectionLogins.add({
      ...{ connectionId, purpose, userId, nonce, codeVerifier, maxAge, proofKey: proof?.sealed },
      ...{ stateDigest: digestOf(state), browserDigest: digestOf(browserSecret) },
      returnTo: returnTo && storable(returnTo),
      network: storable(networkOf(ipAddress)).slice(0, longestNetwork),
      lifetime: connectionLoginLifetime,
    })
    return { name, authorizationUrl, browserSecret }
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error
    deps.log.warn(
      { connection: connectionId, detail: error.message },
      'a login by a connection could not begin',
    )
    deps.counted(connection.kind, 'not begun')
    const problem = error.kind === 'bad answer' ? 'bad answer' : 'unreachable'
    return { name, problem, detail: purpose === 'test' ? error.message : undefined }
  }
}

/**
 * The user who may link their account, or try a connection.
 * @returns undefined if the session may not do that
 */
export async function userFor(
  purpose: Exclude<LoginPurpose, 'login'>,
  sessionSecret: string | undefined,
  { organizationId }: Pick<LoginConnection, 'organizationId'>,
  { connectionLogins, sessions }: Pick<ConnectionLoginDeps, 'connectionLogins' | 'sessions'>,
): Promise<string | undefined> {
  if (sessionSecret === undefined) return undefined
  if (purpose === 'link') return connectionLogins.linkingUser(digestOf(sessionSecret))
  const session = await sessions.findAny(digestsOf(sessionSecret), undefined)
  if (session === undefined) return undefined
  const { user, organizationsOnly, organizationLogins, secondFactorDue } = session
  if (!organizationsOnly && user.adminRole !== null) return secondFactorDue ? undefined : user.id
  if (organizationId === undefined) return undefined
  const isThere = organizationLogins.some((login) => login.organizationId === organizationId)
  const counts = isThere || (!organizationsOnly && !secondFactorDue)
  const role = counts ? await connectionLogins.roleIn(organizationId, user.id) : undefined
  return role === 'owner' || role === 'admin' ? user.id : undefined
}

/** The key of proofs of possession (RFC 9449) for one login, where the provider takes them. */
async function proofFor(
  provider: SocialProvider,
  { connectionId }: LoginConnection,
  { encryption }: Pick<ConnectionLoginDeps, 'encryption'>,
) {
  if (encryption === undefined || !(await provider.takesProofs?.())) return undefined
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  const key = await exportJWK(privateKey)
  return { key, sealed: encryption.encrypt(Buffer.from(JSON.stringify(key)), connectionId) }
}
