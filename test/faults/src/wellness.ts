import type { Ask } from './asking.ts'
import { type Client, type Crew, issueForClient } from './callers.ts'
import type { Target } from './faults.ts'
import type { AdminAsk } from './machines.ts'
import { type Replica, replicas } from './world.ts'

/** Whether the gateways give correct answers to requests that need a target. */
export type Wellness = (target: Target, replica: Replica) => Promise<boolean>

/** Creates probes of each target: a gateway is asked itself, anything else through both gateways. */
export function createWellness(crew: Crew, ask: Ask, client: Client, admin: AdminAsk): Wellness {
  const token = async (gateway: Replica) =>
    (await issueForClient(crew, ask, client, { gateway, kind: 'probe: token' })) !== undefined
  const clients = async () =>
    (await admin('probe: clients', 'GET', '/admin/api/clients?limit=1', [200])).status === 200
  const users = async () =>
    (await admin('probe: users', 'GET', '/admin/api/users?limit=1', [200])).status === 200
  const event = async (gateway: Replica) => {
    const key = `probe-${crypto.randomUUID()}`
    const answer = await ask({
      kind: 'probe: event',
      gateway,
      path: '/events/ingest',
      json: { event: { event_type: 'probe' } },
      headers: { 'idempotency-key': key },
      allowed: [202],
    })
    if (answer.status === 202) crew.ledger.events.push(key)
    return answer.status === 202
  }
  const everything = async (gateway: Replica) =>
    (await Promise.all([token(gateway), clients(), users(), event(gateway)])).every(Boolean)
  const questions: Record<Target, (gateway: Replica) => Promise<boolean>> = {
    gateway: token,
    token,
    redis: token,
    'way to redis': token,
    'client-registry': clients,
    identity: users,
    events: event,
    postgresql: everything,
    'way to postgresql': everything,
  }
  return async (target, replica) => {
    const gateways = target === 'gateway' ? [replica] : replicas
    return (await Promise.all(gateways.map(questions[target]))).every(Boolean)
  }
}
