import type { Emit } from '@gatehouse/kit/emission'
import { Refusal } from '@gatehouse/kit/errors'
import { isSecret } from '@gatehouse/kit/formats'
import type { Logger } from '@gatehouse/kit/log'
import { networkOf } from '@gatehouse/kit/network'
import { type RecordingDeps, recordLogin } from './login-history.ts'
import { createSecret, digestOf, type RandomBytes } from './secret.ts'
import { type BeginningDeps, beginSession, type NewSession } from './session.ts'
import {
  type LoginSecrets,
  ProviderFailure,
  type ProviderFailureKind,
  type SocialPerson,
  type SocialProvider,
} from './social-provider.ts'
import { usernamesFor } from './social-username.ts'
import { storable } from './text.ts'
import type { PublicUser } from './user.ts'

/** How long somebody may take at a provider, in seconds. */
export const socialLoginLifetime = 600

/** How many logins of one browser may be under way. */
const mostSecrets = 5

/** In units of a JS string. */
const longestSubject = 255
const longestDisplayName = 200

/** A login that is under way at a provider, as it is kept. */
export type PendingLogin = Omit<LoginSecrets, 'state'> & { provider: string; returnTo: string }

/** Where logins are kept that are under way. */
export type SocialLoginStore = {
  /** @param login.lifetime in seconds */
  add(login: PendingLogin & { stateDigest: Buffer; browserDigest: Buffer; lifetime: number }): Promise<void>
  /** Takes a login out, if it is one of these browsers' and not over: of two who try at once, one gets it. */
  take(stateDigest: Buffer, browserDigests: Buffer[]): Promise<PendingLogin | undefined>
}

/** Somebody at a provider. */
export type SocialAccount = Pick<SocialPerson, 'subject' | 'displayName'> & { provider: string }

/** Where it is kept who at which provider is which user. */
export type SocialAccountStore = {
  /** The user of an account; what the account is called now is kept. */
  find(account: SocialAccount): Promise<PublicUser | undefined>
  /**
   * Adds a user without a password, and the account that they log in by: both or neither.
   * @returns false when there is a user of this name, or a user of this account, already
   */
  add(user: Pick<PublicUser, 'id' | 'username'>, account: SocialAccount): Promise<boolean>
}

/** What logging in through providers needs. */
export type SocialLoginDeps = BeginningDeps &
  RecordingDeps & {
    /** Those that are configured, by name. */
    providers: ReadonlyMap<string, SocialProvider>
    logins: SocialLoginStore
    accounts: SocialAccountStore
    randomBytes: RandomBytes
    emit: Emit
    log: Logger
  }

/** What the browser is to be given for a login that begins. */
export type BegunLogin = {
  /** Undefined: the provider does not answer. */
  authorizationUrl: string | undefined
  /** Must come back with the callback. */
  browserSecret: string
}

/**
 * Begins a login through a provider.
 * @param returnTo where it was wanted for; given back at its end
 * @throws Refusal invalid_request for a provider that is not configured
 */
export async function beginSocialLogin(
  { provider: name, returnTo }: { provider: string; returnTo: string },
  { providers, logins, randomBytes, log }: SocialLoginDeps,
): Promise<BegunLogin> {
  const provider = configured(name, providers)
  const [state, nonce, codeVerifier, browserSecret] = Array.from({ length: 4 }, () =>
    createSecret(randomBytes),
  ) as [string, string, string, string]
  try {
    const authorizationUrl = await provider.authorizationUrl({ state, nonce, codeVerifier })
    await logins.add({
      stateDigest: digestOf(state),
      browserDigest: digestOf(browserSecret),
      provider: name,
      nonce,
      codeVerifier,
      returnTo: storable(returnTo),
      lifetime: socialLoginLifetime,
    })
    return { authorizationUrl, browserSecret }
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error
    log.warn({ provider: name, detail: error.message }, 'a social login could not begin')
    return { authorizationUrl: undefined, browserSecret }
  }
}

/** What a browser brings back from a provider. */
export type SocialCallback = {
  provider: string
  /** As it came. */
  query: string
  /** What the browser was given at the beginning. */
  browserSecrets: readonly string[]
  ipAddress: string
  userAgent: string
  previousSecret: string | undefined
}

/** What came of a login. */
export type SocialOutcome =
  | { outcome: 'right'; session: NewSession; returnTo: string; created: boolean }
  | { outcome: ProviderFailureKind | 'unknown login' | 'disabled'; returnTo: string }

/**
 * Ends a login through a provider. A person who is new here gets a user of their own: neither an e-mail address
 * nor a name makes them somebody who is here already. The attempt is recorded.
 * @throws Refusal invalid_request for a provider that is not configured
 */
export async function finishSocialLogin(
  callback: SocialCallback,
  deps: SocialLoginDeps,
): Promise<SocialOutcome> {
  const { provider: name, query } = callback
  const provider = configured(name, deps.providers)
  const [state = '', ...more] = new URLSearchParams(query).getAll('state')
  const browsers = callback.browserSecrets.slice(0, mostSecrets).map(digestOf)
  const login = more.length > 0 ? undefined : await deps.logins.take(digestOf(state), browsers)
  if (login === undefined) {
    await recordUnknown(callback, deps)
    return { outcome: 'unknown login', returnTo: '' }
  }
  const { returnTo } = login
  // Who makes a browser bring one provider's answer to another's callback wants the code (RFC 9700 section 4.4).
  if (login.provider !== name) {
    deps.log.warn({ provider: name, begun: login.provider }, 'a social login came back from another provider')
    await recordLogin(callback, { userId: undefined, method: name, failure: 'unknown_login' }, deps)
    return { outcome: 'unknown login', returnTo }
  }
  const metadata = { method: name }
  try {
    const person = await provider.person(query, { ...login, state })
    const { user, created } = await userOf(person, name, deps)
    const session = await beginSession(user, { ...callback, passwordHash: undefined }, deps)
    const failure = session === undefined ? 'user_disabled' : ''
    await recordLogin(callback, { userId: user.id, method: name, failure }, deps)
    if (session === undefined) {
      deps.emit('user_authentication_failed', { userId: user.id, error: 'user_disabled', metadata })
      return { outcome: 'disabled', returnTo }
    }
    deps.emit('user_authenticated', { userId: user.id, metadata })
    return { outcome: 'right', session, returnTo, created }
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error
    const line = { provider: name, detail: error.message }
    const failure = error.kind.replaceAll(' ', '_')
    await recordLogin(callback, { userId: undefined, method: name, failure }, deps)
    deps.emit('user_authentication_failed', { error: failure, metadata })
    if (error.kind === 'denied') deps.log.info(line, 'a social login was denied')
    else deps.log.warn(line, 'a social login failed')
    return { outcome: error.kind, returnTo }
  }
}

/**
 * Records a callback of no login that is under way: of a browser that has begun one, which is over or was finished already,
 * and at most one a minute for each network. The others are callbacks that somebody made up.
 */
async function recordUnknown(callback: SocialCallback, deps: RecordingDeps): Promise<void> {
  const { provider: method, browserSecrets, ipAddress } = callback
  if (!browserSecrets.some(isSecret)) return
  if (!deps.mayRecord([`unknown_login network ${networkOf(ipAddress)}`])) return
  await recordLogin(callback, { userId: undefined, method, failure: 'unknown_login' }, deps)
}

function configured(name: string, providers: SocialLoginDeps['providers']): SocialProvider {
  const provider = providers.get(name)
  if (provider === undefined)
    throw new Refusal('invalid_request', `Logging in through ${name} is not configured on this server.`)
  return provider
}

async function userOf(
  { subject, name, displayName }: SocialPerson,
  provider: string,
  { accounts, randomUuid, randomBytes, log }: SocialLoginDeps,
): Promise<{ user: PublicUser; created: boolean }> {
  // Cut, it could become somebody else's.
  if (subject === '' || subject.length > longestSubject || storable(subject) !== subject)
    throw new ProviderFailure('bad answer', 'the subject is no usable one')
  const account = { provider, subject, displayName: storable(displayName.slice(0, longestDisplayName)) }
  const found = await accounts.find(account)
  if (found) return { user: found, created: false }
  for (const username of usernamesFor(name, provider, randomBytes)) {
    const user = { id: randomUuid(), username }
    if (await accounts.add(user, account)) {
      log.info({ user_id: user.id, provider }, 'a user was added at the first social login')
      return { user: { ...user, admin: false }, created: true }
    }
    // Either the name is taken, or the same person's other login was quicker.
    const meanwhile = await accounts.find(account)
    if (meanwhile) return { user: meanwhile, created: false }
  }
  throw new Refusal('server_error', undefined, { cause: new Error('no user name was free') })
}
