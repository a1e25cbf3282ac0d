import { Refusal } from '@gatehouse/kit/errors'
import type { Emit } from '@gatehouse/kit/events/emission'
import type { NameClaims } from '@gatehouse/kit/rpc/name-claims'
import { storable } from '@gatehouse/kit/storable'
import type { Logger } from '@gatehouse/kit/telemetry/log'
import { digestOf, type RandomBytes } from '../basics/secret.ts'
import { type RecordingDeps, recordLogin, recordUnknownLogin } from '../logins/login-history.ts'
import type { NewPendingLogin } from '../logins/pending-login.ts'
import { type BeginningDeps, beginSession, type NewSession } from '../logins/session.ts'
import type { PublicUser } from '../users/user.ts'
import { type StoredAttributes, vouchedAttributes } from '../users/user-attributes.ts'
import { createLoginSecrets, presentedLogin } from './login-secrets.ts'
import {
  type LoginSecrets,
  ProviderFailure,
  type ProviderFailureKind,
  type SocialPerson,
  type SocialProvider,
} from './social-provider.ts'
import { usernamesFor } from './social-username.ts'

/** How long a person may take at a provider, in seconds. */
export const socialLoginLifetime = 600

/** In UTF-16 code units. */
const longestSubject = 255
const longestDisplayName = 200

/** A login under way at a provider, as it is stored. */
export type PendingLogin = Omit<LoginSecrets, 'state'> & {
  provider: string
  returnTo: string | undefined
}

/** Stores logins under way. */
export type SocialLoginStore = {
  /** @param login.lifetime in seconds */
  add(login: PendingLogin & { stateDigest: Buffer; browserDigest: Buffer; lifetime: number }): Promise<void>
  /** Removes and returns a login, if it is one of these browsers' and has not expired. Only one of two concurrent calls gets it. */
  take(stateDigest: Buffer, browserDigests: Buffer[]): Promise<PendingLogin | undefined>
}

/** A person's account at a provider. */
export type SocialAccount = Pick<SocialPerson, 'subject' | 'displayName'> & { provider: string }

/** Stores which account at a provider belongs to which user. */
export type SocialAccountStore = {
  /** Finds the user of an account, and stores the account's current display name. */
  find(account: SocialAccount): Promise<SocialUser | undefined>
  /** Gives an active user attributes. Those that the user has, or had before, stay as they are. */
  fill(userId: string, attributes: StoredAttributes): Promise<void>
  /**
   * Creates a user without a password together with the account with which they log in, in one statement.
   * @param reservation of the user's name
   * @returns false when a user with this name or this account already exists
   */
  add(user: Omit<SocialUser, 'adminRole'>, account: SocialAccount, reservation: string): Promise<boolean>
}

/** The user of an account. */
export type SocialUser = PublicUser & { attributes: StoredAttributes }

/** The needs of logging in through providers. */
export type SocialLoginDeps = BeginningDeps &
  RecordingDeps & {
    /** The configured providers by name. */
    providers: ReadonlyMap<string, SocialProvider>
    logins: SocialLoginStore
    accounts: SocialAccountStore
    /** Keeps the ids of clients from becoming names of users. */
    names: NameClaims
    randomBytes: RandomBytes
    emit: Emit
    log: Logger
  }

/** The data that the browser needs for a login that begins. */
export type BegunLogin = {
  /** undefined when the provider does not answer. */
  authorizationUrl: string | undefined
  /** Must come back with the callback. */
  browserSecret: string
}

/**
 * Begins a login through a provider.
 * @param returnTo the page for which the login is needed, if there is one; returned when the login finishes
 * @param again whether to ask the provider to authenticate the person again
 * @throws Refusal invalid_request for a provider that is not configured
 */
export async function beginSocialLogin(
  {
    provider: name,
    returnTo,
    again,
  }: {
    provider: string
    returnTo?: string | undefined
    again: boolean
  },
  { providers, logins, randomBytes, log }: SocialLoginDeps,
): Promise<BegunLogin> {
  const provider = configured(name, providers)
  const { state, nonce, codeVerifier, browserSecret } = createLoginSecrets(randomBytes)
  try {
    const authorizationUrl = await provider.authorizationUrl({ state, nonce, codeVerifier }, { again })
    await logins.add({
      stateDigest: digestOf(state),
      browserDigest: digestOf(browserSecret),
      provider: name,
      nonce,
      codeVerifier,
      returnTo: returnTo && storable(returnTo),
      lifetime: socialLoginLifetime,
    })
    return { authorizationUrl, browserSecret }
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error
    log.warn({ provider: name, detail: error.message }, 'a social login could not begin')
    return { authorizationUrl: undefined, browserSecret }
  }
}

/** The data that a browser brings back from a provider. */
export type SocialCallback = {
  provider: string
  /** Unchanged. */
  query: string
  /** The secrets of the logins that this browser began. */
  browserSecrets: readonly string[]
  ipAddress: string
  userAgent: string
  previousSecret: string | undefined
}

/** The result of a login. */
export type SocialOutcome =
  | { outcome: 'right'; session: NewSession; returnTo: string | undefined; created: boolean }
  | { outcome: 'second factor'; pending: NewPendingLogin; returnTo: string | undefined }
  | { outcome: ProviderFailureKind | 'unknown login' | 'disabled'; returnTo: string | undefined }

/**
 * Finishes a login through a provider, or makes it wait for the second factor. A person who logs in for the first time gets a new user: neither an e-mail address
 * nor a name links them to an existing user. The attempt is recorded.
 * @throws Refusal invalid_request for a provider that is not configured
 */
export async function finishSocialLogin(
  callback: SocialCallback,
  deps: SocialLoginDeps,
): Promise<SocialOutcome> {
  const { provider: name, query } = callback
  const provider = configured(name, deps.providers)
  const presented = presentedLogin(query, callback.browserSecrets)
  const login = presented && (await deps.logins.take(presented.stateDigest, presented.browserDigests))
  if (presented === undefined || login === undefined) {
    await recordUnknownLogin(callback, name, deps)
    return { outcome: 'unknown login', returnTo: undefined }
  }
  const { returnTo } = login
  // A mix-up attack brings one provider's answer to another's callback to get the code (RFC 9700 section 4.4).
  if (login.provider !== name) {
    deps.log.warn({ provider: name, begun: login.provider }, 'a social login came back from another provider')
    await recordLogin(callback, { userId: undefined, method: name, failure: 'unknown_login' }, deps)
    return { outcome: 'unknown login', returnTo }
  }
  const metadata = { method: name }
  try {
    const person = await provider.person(query, { ...login, state: presented.state })
    const { user, created } = await userOf(person, name, deps)
    const beginning = { ...callback, passwordHash: undefined, methods: [], loginMethod: name }
    const begun = await beginSession(user, beginning, deps)
    if (begun?.outcome === 'second factor') return { ...begun, returnTo }
    const failure = begun === undefined ? 'user_disabled' : undefined
    await recordLogin(callback, { userId: user.id, method: name, failure }, deps)
    if (begun === undefined) {
      deps.emit('user_authentication_failed', { userId: user.id, error: 'user_disabled', metadata })
      return { outcome: 'disabled', returnTo }
    }
    deps.emit('user_authenticated', { userId: user.id, metadata })
    return { outcome: 'right', session: begun.value, returnTo, created }
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

function configured(name: string, providers: SocialLoginDeps['providers']): SocialProvider {
  const provider = providers.get(name)
  if (provider === undefined)
    throw new Refusal('invalid_request', `Logging in through ${name} is not configured on this server.`)
  return provider
}

async function userOf(
  { subject, name, displayName, claims }: SocialPerson,
  provider: string,
  { accounts, names, randomUuid, randomBytes, log }: SocialLoginDeps,
): Promise<{ user: PublicUser; created: boolean }> {
  // Refused, not shortened: a shortened subject could be another person's.
  if (subject === '' || subject.length > longestSubject || storable(subject) !== subject)
    throw new ProviderFailure('bad answer', 'the subject is empty, too long or not valid text')
  const account = { provider, subject, displayName: storable(displayName.slice(0, longestDisplayName)) }
  const attributes = vouchedAttributes(claims)
  const found = await findAndFill(account, attributes, accounts)
  if (found) return { user: found, created: false }
  for (const username of usernamesFor(name, provider, randomBytes)) {
    const user = { id: randomUuid(), username, attributes }
    const added = await names.during(
      [username],
      async ({ reservation, isTaken }) => !isTaken(username) && accounts.add(user, account, reservation),
    )
    if (added) {
      log.info({ user_id: user.id, provider }, 'created a user at their first social login')
      return { user: { ...user, adminRole: null }, created: true }
    }
    // Either the name is taken, by a user or a client, or a concurrent login of the same person was quicker.
    const meanwhile = await findAndFill(account, attributes, accounts)
    if (meanwhile) return { user: meanwhile, created: false }
  }
  throw new Refusal('server_error', undefined, { cause: new Error('no user name was free') })
}

/** Finds the user of an account, and gives them the attributes that they never had. */
async function findAndFill(
  account: SocialAccount,
  attributes: StoredAttributes,
  accounts: SocialAccountStore,
): Promise<PublicUser | undefined> {
  const user = await accounts.find(account)
  if (user && !Object.keys(attributes).every((name) => name in user.attributes))
    await accounts.fill(user.id, attributes)
  return user
}
