import { randomUUID } from 'node:crypto'
import { tokenLimit } from '../world/world.ts'
import { type AdminAsk, deleteClient } from './administrator.ts'
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

const metadata = { grant_types: ['client_credentials'], scope: 'read write' }

/** Works as a machine: gets tokens, introspects them, and revokes some. */
export async function machine(crew: Crew, clients: Client[], name: string, address: string): Promise<void> {
  const ask = crew.askFrom(name, address)
  const client = await register(crew, ask, metadata)
  if (!client) return
  clients.push(client)
  while (!crew.signal.aborted) {
    const token = await issueForClient(crew, ask, client, { gateway: anyGateway(crew) })
    if (token) {
      const gateway = anyGateway(crew)
      // Somebody has just used it, so a cache would know it.
      if (crew.random.chance(0.3)) await introspect(ask, token, gateway)
      if (crew.random.chance(0.3)) await revokeAccessToken(crew, ask, client, token)
      // Even right after the revocation, on either gateway.
      if (crew.random.chance(0.7)) await introspect(ask, token, gateway)
    }
    await rest(crew, crew.random.between(60, 160))
  }
}

/** Works as a resource server: introspects random tokens of the run, including old ones. */
export async function resourceServer(crew: Crew, name: string, address: string): Promise<void> {
  const ask = crew.askFrom(name, address)
  while (!crew.signal.aborted) {
    const token = crew.wallet.anyToken(crew.random)
    if (token) await introspect(ask, token, anyGateway(crew))
    await rest(crew, crew.random.between(40, 120))
  }
}

/** Registers clients that get some tokens and are deleted while they request more. */
export async function shortLivedClients(crew: Crew, address: string, admin: AdminAsk): Promise<void> {
  const ask = crew.askFrom('short-lived', address)
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

/** Sends numbered events, each until it is accepted. */
export async function sender(crew: Crew, name: string, address: string): Promise<void> {
  const ask = crew.askFrom(name, address)
  for (let number = 1; !crew.signal.aborted; number += 1) {
    const key = randomUUID()
    while (!crew.signal.aborted) {
      const answer = await ask({
        name: 'event',
        gateway: anyGateway(crew),
        path: '/events/ingest',
        json: { event: { event_type: 'order_placed', metadata: { sender: name, number } } },
        headers: { 'idempotency-key': key },
        about: { key, sender: name, number },
        hear: ({ text }) => ({ eventId: JSON.parse(text).event_id }),
        allowed: [202],
      })
      if (answer.status === 202) break
      await rest(crew)
    }
    await rest(crew, crew.random.between(150, 450))
  }
}

/** Works as a client that exceeds its rate limit now and then. No other client may be refused because of it. */
export async function greedy(crew: Crew, address: string): Promise<void> {
  const ask = crew.askFrom('greedy', address)
  const client = await register(crew, ask, metadata)
  if (!client) return
  while (!crew.signal.aborted) {
    await rest(crew, 60_000)
    let refused = 0
    const callers = Array.from({ length: 4 }, async () => {
      for (let count = 0; count < tokenLimit / 3 && refused < 5 && !crew.signal.aborted; count += 1) {
        const options = { gateway: anyGateway(crew), allowed: [200, 429] }
        if (!(await issueForClient(crew, ask, client, options))) refused += 1
      }
    })
    await Promise.all(callers)
    await rest(crew, 240_000)
  }
}
