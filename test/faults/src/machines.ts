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

/** A machine: it asks for tokens, asks what they are good for, and ends some. */
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
      // Also right after it was revoked, and on the other gateway as often as on the same.
      if (crew.random.chance(0.7)) await introspect(crew, ask, issued, gateway)
    }
    await rest(crew, crew.random.between(60, 160))
  }
}

/** A resource server: it asks what tokens of anybody are good for, old ones too. */
export async function resourceServer(crew: Crew, address: string): Promise<void> {
  const ask = crew.askFrom(address)
  while (!crew.signal.aborted) {
    const { issued } = crew.ledger
    if (issued.length > 0) await introspect(crew, ask, crew.random.pick(issued), anyGateway(crew))
    await rest(crew, crew.random.between(40, 120))
  }
}

/** Clients that come and go: each is registered, gets some tokens, and is deleted while it asks for more. */
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

/** A request of the administrator's. */
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
    // After a try that got no answer there may be none.
    const allowed = attempt === 0 ? [204] : [204, 404]
    const answer = await admin('client deleted', 'DELETE', `/admin/api/clients/${client}`, allowed)
    settle(ending, answer.status === 204 || answer.status === 404)
    if (ending.sure) return
    await rest(crew, 1_000)
  }
}

/** A sender of events, which sends each until it is taken. */
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

/** One who asks for more tokens than he may have, now and then; nobody else may be refused for it. */
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
