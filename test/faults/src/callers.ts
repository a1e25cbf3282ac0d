import { setTimeout as sleep } from 'node:timers/promises'
import type { Ask } from './asking.ts'
import type { Operation } from './history/operation.ts'
import type { Journal } from './journal.ts'
import { type Grant, type Issued, type Ledger, settle, underWay } from './ledger.ts'
import type { Random } from './random.ts'
import { type Replica, replicas, type World } from './world.ts'

/** What every worker needs. */
export type Crew = {
  world: World
  ledger: Ledger
  journal: Journal
  random: Random
  /** Notes what was asked and heard without a request to the system. */
  note(operation: Operation): void
  /** Aborted when the load ends. */
  signal: AbortSignal
  /** Creates the `Ask` of a worker at an address. */
  askFrom(address: string): Ask
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
      kind: 'register',
      gateway: anyGateway(crew),
      path: '/clients/register',
      json: metadata,
      allowed: [201],
    })
    if (answer.status === 201) {
      const { client_id, client_secret } = JSON.parse(answer.text)
      crew.ledger.confidential.add(client_secret)
      return { client_id, client_secret }
    }
    await rest(crew)
  }
  return undefined
}

/** Gets a token with client_credentials. @returns undefined when there was none */
export async function issueForClient(
  crew: Pick<Crew, 'ledger'>,
  ask: Ask,
  client: Client,
  options: { gateway: Replica; kind?: string; allowed?: readonly number[] },
): Promise<Issued | undefined> {
  const { gateway, kind = 'token (client_credentials)', allowed = [200] } = options
  const form = { grant_type: 'client_credentials', ...client }
  const answer = await ask({ kind, gateway, path: '/oauth/token', form, allowed })
  if (answer.status !== 200) return undefined
  const grant: Grant = {
    kind: 'client_credentials',
    clientId: client.client_id,
    userId: undefined,
    given: answer,
    endings: [],
    refreshTokens: [],
    refreshKnown: true,
  }
  return crew.ledger.issue(JSON.parse(answer.text).access_token, grant, answer)
}

/** Introspects a token, and complains when the answer contradicts the ledger. */
export async function introspect(
  { ledger, journal }: Pick<Crew, 'ledger' | 'journal'>,
  ask: Ask,
  issued: Issued,
  gateway: Replica,
): Promise<void> {
  const answer = await ask({
    kind: 'introspect',
    gateway,
    path: '/oauth/introspect',
    form: { token: issued.token },
    allowed: [200],
  })
  if (answer.status !== 200) return
  const said = JSON.parse(answer.text).active ? 'active' : 'inactive'
  const expected = ledger.expectation(issued, answer)
  if (expected !== 'either' && said !== expected) {
    journal.complain(answer, `a ${issued.grant.kind} token was ${said} and should be ${expected}`)
  }
}

/** Revokes an access token (RFC 7009). */
export async function revokeAccessToken(crew: Crew, ask: Ask, client: Client, issued: Issued): Promise<void> {
  const ending = underWay()
  issued.endings.push(ending)
  const answer = await ask({
    kind: 'revoke',
    gateway: anyGateway(crew),
    path: '/oauth/revoke',
    form: { token: issued.token, ...client },
    allowed: [200],
  })
  settle(ending, answer.status === 200)
}
