import { setTimeout as sleep } from 'node:timers/promises'
import { nameOf } from '../history/names.ts'
import type { Replica } from '../history/replica.ts'
import type { Random } from '../random.ts'
import { replicas, type World } from '../world/world.ts'
import type { Ask } from './asking.ts'
import type { Recorder } from './recorder.ts'
import type { AccessToken, Wallet } from './wallet.ts'

/** The needs of every worker. */
export type Crew = {
  world: World
  recorder: Recorder
  random: Random
  /** The tokens that everybody introspects and verifies. */
  wallet: Wallet
  /** Aborted when the load ends. */
  signal: AbortSignal
  /** Tells the names of this run from those of another in the same system. */
  runName: string
  /** Creates the `Ask` of a worker at an address. */
  askFrom(client: string, address: string): Ask
}

/** A registered client. */
export type Client = { client_id: string; client_secret: string }

/** How long a worker waits after a refusal before it tries again, in milliseconds. */
const afterRefusal = 250

/** A random gateway. */
export function anyGateway({ random }: Pick<Crew, 'random'>): Replica {
  return random.pick(replicas)
}

/** Waits. Resolves early, without throwing, when the load ends. */
export async function rest({ signal }: Pick<Crew, 'signal'>, ms = afterRefusal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined)
}

/** Registers a client, trying until it succeeds. @returns undefined when the load ended first */
export async function register(
  crew: Crew,
  ask: Ask,
  metadata: Record<string, unknown>,
): Promise<Client | undefined> {
  while (!crew.signal.aborted) {
    const answer = await ask({
      name: 'register',
      gateway: anyGateway(crew),
      path: '/clients/register',
      json: metadata,
      hear: ({ text }) => ({ target: JSON.parse(text).client_id }),
      allowed: [201],
    })
    if (answer.status === 201) return clientIn(crew, answer.text)
    await rest(crew)
  }
  return undefined
}

/** The client of a registration's answer. */
export function clientIn({ recorder }: Pick<Crew, 'recorder'>, text: string): Client {
  const { client_id, client_secret } = JSON.parse(text)
  recorder.keepSecret(client_secret)
  return { client_id, client_secret }
}

/** Gets a token with client_credentials. @returns undefined when there was none */
export async function issueForClient(
  crew: Pick<Crew, 'wallet'>,
  ask: Ask,
  client: Client,
  options: { gateway: Replica; probes?: boolean; allowed?: readonly number[] },
): Promise<AccessToken | undefined> {
  const { gateway, probes = false, allowed = [200] } = options
  const { client_id: clientId } = client
  let token: AccessToken | undefined
  await ask({
    name: probes ? 'probe' : 'issue',
    gateway,
    path: '/oauth/token',
    form: { grant_type: 'client_credentials', ...client },
    about: { clientId },
    hear: ({ status, text }) => {
      if (status !== 200) return {}
      token = crew.wallet.take(JSON.parse(text).access_token)
      return { token: token.name }
    },
    allowed,
  })
  return token
}

/** Introspects a token. */
export async function introspect(ask: Ask, { text, name }: AccessToken, gateway: Replica) {
  return ask({
    name: 'introspect',
    gateway,
    path: '/oauth/introspect',
    form: { token: text },
    about: { token: name.jti },
    hear: (answer) => ({ active: JSON.parse(answer.text).active === true }),
    allowed: [200],
  })
}

/** Revokes an access token (RFC 7009). */
export async function revokeAccessToken(crew: Crew, ask: Ask, client: Client, token: AccessToken) {
  return ask({
    name: 'revoke',
    gateway: anyGateway(crew),
    path: '/oauth/revoke',
    form: { token: token.text, ...client },
    about: { token: token.name.jti, clientId: client.client_id },
    allowed: [200],
  })
}

/** Revokes a refresh token, and with it its family. */
export async function revokeRefreshToken(crew: Crew, ask: Ask, client: Client, refreshToken: string) {
  return ask({
    name: 'revoke',
    gateway: anyGateway(crew),
    path: '/oauth/revoke',
    form: { token: refreshToken, ...client },
    about: { refresh: nameOf(refreshToken), clientId: client.client_id },
    allowed: [200],
  })
}
