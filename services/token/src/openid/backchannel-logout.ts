import type { Fetcher } from '@gatehouse/kit/fetch/guarded-fetch'
import type { Logger } from '@gatehouse/kit/telemetry/log'
import type { KeyPairAlgorithm } from '@gatehouse/proto/algorithms'
import type { Client } from '../clients/client-authentication.ts'
import { idTokenAlgorithmOf } from './id-token.ts'

/** A client that must be told that a session ended. */
export type BackchannelLogout = {
  sessionId: string
  clientId: string
  userId: string
  /** How often it was tried, this time included. */
  attempts: number
}

/** Stores the clients that must be told. */
export type BackchannelLogoutStore = {
  /**
   * Takes some of those that are due, first attempts first, each on one replica only. Each is due again later, unless it is removed.
   * @param mostOf how many of one user and of one client
   * @param except users and clients of which none are taken
   */
  take(
    most: number,
    mostOf: { user: number; client: number },
    except: { users: readonly string[]; clients: readonly string[] },
  ): Promise<BackchannelLogout[]>
  remove(logout: BackchannelLogout): Promise<void>
}

/** The needs of telling clients. */
export type BackchannelLogoutDeps = {
  store: BackchannelLogoutStore
  findClient(clientId: string): Promise<Client | undefined>
  /** The algorithms of ID tokens that are on. */
  algorithms: readonly KeyPairAlgorithm[]
  /** Signs a logout token: the `typ` of its header is `logout+jwt`. */
  signLogoutToken(algorithm: KeyPairAlgorithm, claims: Readonly<Record<string, unknown>>): Promise<string>
  fetcher: Pick<Fetcher, 'post'>
  issuer: string
  /** Milliseconds since the Unix epoch. */
  now(): number
  randomUuid(): string
  counted(outcome: LogoutOutcome): void
  log: Logger
}

/** The outcome of an attempt: the client took the logout token, will get it again, or will never get it. */
export const logoutOutcomes = ['sent', 'failed', 'given_up'] as const
export type LogoutOutcome = (typeof logoutOutcomes)[number]

/** Tells clients that sessions ended. */
export type BackchannelLogouts = {
  /** Begins to tell those that are due. Does not wait for their answers. */
  begin(): Promise<void>
  /** Resolves when all that were begun are settled. */
  settled(): Promise<void>
}

/** How often a client is tried: with the store's pauses, for about 5 minutes. */
const mostAttempts = 6
/** How many requests are under way at once. */
const atOnce = 200
/**
 * How many begin at once for one user and for one client. While so many are under way, none begins: clients that do not answer hold up
 * neither the logouts of other users nor other clients.
 */
const mostOf = { user: 10, client: 40 }

/**
 * Creates what tells clients that sessions ended (OpenID Connect Back-Channel Logout 1.0). Clients that are slow or away hold up
 * nobody else.
 */
export function createBackchannelLogouts(deps: BackchannelLogoutDeps): BackchannelLogouts {
  const { store, log, counted } = deps
  const underWay = new Map<Promise<void>, BackchannelLogout>()

  async function settle(logout: BackchannelLogout): Promise<void> {
    const names = { client_id: logout.clientId, session_id: logout.sessionId }
    try {
      if (await tell(logout, deps)) counted('sent')
    } catch (error) {
      if (logout.attempts < mostAttempts) return counted('failed')
      counted('given_up')
      const detail = error instanceof Error ? error.message : 'unknown'
      log.warn({ ...names, detail }, 'a client did not take a logout token; it is not tried again')
    }
    await store.remove(logout).catch((error) => {
      log.warn(
        { ...names, err: error },
        'could not store that a client was told of a logout; it will be told again',
      )
    })
  }

  return {
    async begin() {
      if (underWay.size >= atOnce) return
      const logouts = [...underWay.values()]
      const except = {
        users: frequent(
          logouts.map(({ userId }) => userId),
          mostOf.user,
        ),
        clients: frequent(
          logouts.map(({ clientId }) => clientId),
          mostOf.client,
        ),
      }
      for (const logout of await store.take(atOnce - underWay.size, mostOf, except)) {
        const settling = settle(logout).finally(() => underWay.delete(settling))
        underWay.set(settling, logout)
      }
    },

    async settled() {
      while (underWay.size > 0) await Promise.all(underWay.keys())
    },
  }
}

/** The ids that occur at least so many times. */
function frequent(ids: readonly string[], times: number): string[] {
  const counts = new Map<string, number>()
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1)
  return [...counts].filter(([, count]) => count >= times).map(([id]) => id)
}

/**
 * Posts a logout token to a client (section 2.5).
 * @returns false when the client wants none
 * @throws when the client did not take it
 */
async function tell(logout: BackchannelLogout, deps: BackchannelLogoutDeps): Promise<boolean> {
  const client = await deps.findClient(logout.clientId)
  const url = client?.disabled === false && URL.parse(client.metadata.backchannel_logout_uri ?? '')
  if (!client || !url) return false
  const token = await logoutToken(client, logout, deps)
  const { status } = await deps.fetcher.post(url, {
    body: Buffer.from(new URLSearchParams({ logout_token: token }).toString()),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
  if (status < 200 || status > 299) throw new Error(`the client answered ${status}`)
  return true
}

/** In seconds: long enough for clocks that differ a little (section 2.4). */
const lifetime = 120

/** The logout token of section 2.4. It has no nonce, so that nobody can use it as an ID token. */
function logoutToken(
  client: Client,
  { userId, sessionId }: BackchannelLogout,
  { signLogoutToken, algorithms, issuer, now, randomUuid }: BackchannelLogoutDeps,
): Promise<string> {
  const issuedAt = Math.floor(now() / 1000)
  return signLogoutToken(idTokenAlgorithmOf(client, algorithms), {
    iss: issuer,
    sub: userId,
    aud: client.clientId,
    iat: issuedAt,
    exp: issuedAt + lifetime,
    jti: randomUuid(),
    events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    sid: sessionId,
  })
}
