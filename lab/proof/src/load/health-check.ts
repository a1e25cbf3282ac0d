import type { Target } from '../history/fault.ts'
import type { Replica } from '../history/replica.ts'
import { replicas } from '../world/world.ts'
import type { AdminAsk } from './administrator.ts'
import type { Ask } from './asking.ts'
import { type Client, type Crew, issueForClient } from './callers.ts'

/** Whether the gateways give correct answers to requests that need a target. */
export type HealthCheck = (target: Target, replica: Replica) => Promise<boolean>

/** Creates probes of each target: a gateway is asked itself, anything else through both gateways. */
export function createHealthCheck(crew: Crew, ask: Ask, client: Client, admin: AdminAsk): HealthCheck {
  const token = async (gateway: Replica) =>
    (await issueForClient(crew, ask, client, { gateway, probes: true })) !== undefined
  const list = (of: string) => async () =>
    (await admin({ method: 'GET', path: `/admin/api/${of}?limit=1`, allowed: [200] })).status === 200
  const [clients, users] = [list('clients'), list('users')]
  const events = async (gateway: Replica) => {
    const question = { name: 'probe' as const, gateway, path: '/events/health', allowed: [200] }
    return (await ask(question)).status === 200
  }
  const questions: Record<Target, (gateway: Replica) => Promise<boolean>> = {
    gateway: token,
    token,
    redis: token,
    'client-registry': clients,
    identity: users,
    events,
    nats: events,
    postgresql: async (gateway) => (await Promise.all([token(gateway), clients(), users()])).every(Boolean),
  }
  return async (target, replica) => {
    const gateways = target === 'gateway' ? [replica] : replicas
    return (await Promise.all(gateways.map(questions[target]))).every(Boolean)
  }
}
