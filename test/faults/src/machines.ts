import { randomUUID } from 'node:crypto'
import type { Ask } from './asking.ts'
import {
  anyGateway,
  type Client,
  type Crew,
  introspect,
  issueForClient,
  register,
  rest,
  revokeAccessToken,
} from './callers.ts'
import { settle } from './ledger.ts'
import { tokenLimit } from './world.ts'

const metadata = { grant_types: ['client_credentials'], scope: 'read write' }

/** Works as a machine: gets tokens, introspects them, and revokes some. */
export async function machine(crew: Crew, clients: Client[], address: string): Promise<void> {
  const ask = crew.askFrom(address)
  const client = await register(crew, ask, metadata)
  if (!client) return
  clients.push(client)
  while (!crew.signal.aborted) {
    const issued = await issueForClient(crew, ask, client, { gateway: anyGateway(crew) })
    if (issued) {
      const gateway = anyGateway(crew)
      if (crew.random.chance(0.3)) await revokeAccessToken(crew, ask, client, issued)
      // Even right after the revocation, on either gateway.
      if (crew.random.chance(0.7)) await introspect(crew, ask, issued, gateway)
    }
    await rest(crew, crew.random.between(60, 160))
  }
}

/** Works as a resource server: introspects random tokens of the run, including old ones. */
export async function resourceServer(crew: Crew, address: string): Promise<void> {
  const ask = crew.askFrom(address)
  while (!crew.signal.aborted) {
    const { issued } = crew.ledger
    if (issued.length > 0) await introspect(crew, ask, crew.random.pick(issued), anyGateway(crew))
    await rest(crew, crew.random.between(40, 120))
  }
}

/** Registers clients that get some tokens and are deleted while they request more. */
export async function shortLivedClients(crew: Crew, address: string, admin: AdminAsk): Promise<void> {
  const ask = crew.askFrom(address)
  while (!crew.signal.aborted) {
    const client = await register(crew, ask, metadata)
    if (!client) return
    const request = (allowed: number[]) =>
      issueForClient(crew, ask, client, { gateway: anyGateway(crew), allowed })
    for (let count = 0; count < 3; count += 1) await request([200])
    await Promise.all([deleteClient(crew, client, admin), request([200, 401])])
    await rest(crew, crew.random.between(1_000, 3_000))
  }
}

/** Sends a request as the administrator. */
export type AdminAsk = (
  kind: string,
  method: string,
  path: string,
  allowed: readonly number[],
  json?: unknown,
) => ReturnType<Ask>

async function deleteClient(crew: Crew, { client_id: client }: Client, admin: AdminAsk): Promise<void> {
  for (let attempt = 0; attempt < 8; attempt += 1) {
    const ending = crew.ledger.begin({ client }, true)
    // An earlier try without an answer may have deleted the client.
    const allowed = attempt === 0 ? [204] : [204, 404]
    const answer = await admin('client deleted', 'DELETE', `/admin/api/clients/${client}`, allowed)
    settle(ending, answer.status === 204 || answer.status === 404)
    if (ending.sure) return
    await rest(crew, 1_000)
  }
}

/** Sends events, each until it is accepted. */
export async function sender(crew: Crew, address: string): Promise<void> {
  const ask = crew.askFrom(address)
  while (!crew.signal.aborted) {
    const key = randomUUID()
    while (!crew.signal.aborted) {
      const answer = await ask({
        kind: 'event',
        gateway: anyGateway(crew),
        path: '/events/ingest',
        json: { event: { event_type: 'order_placed' } },
        headers: { 'idempotency-key': key },
        allowed: [202],
      })
      if (answer.status === 202) {
        crew.ledger.events.push(key)
        break
      }
      await rest(crew)
    }
    await rest(crew, crew.random.between(150, 450))
  }
}

/** Works as a client that exceeds its rate limit now and then. No other client may be refused because of it. */
export async function greedy(crew: Crew, address: string): Promise<void> {
  const ask = crew.askFrom(address)
  const client = await register(crew, ask, metadata)
  if (!client) return
  while (!crew.signal.aborted) {
    await rest(crew, 60_000)
    let refused = 0
    const callers = Array.from({ length: 4 }, async () => {
      for (let count = 0; count < tokenLimit / 3 && refused < 5 && !crew.signal.aborted; count += 1) {
        const before = crew.journal.counts.get(kind)?.get(429) ?? 0
        await issueForClient(crew, ask, client, { gateway: anyGateway(crew), kind, allowed: [200, 429] })
        if ((crew.journal.counts.get(kind)?.get(429) ?? 0) > before) refused += 1
      }
    })
    await Promise.all(callers)
    await rest(crew, 240_000)
  }
}

const kind = 'token (greedy client)'
