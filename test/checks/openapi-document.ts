import { createLog } from '@gatehouse/kit/log'
import { createRegistry } from '@gatehouse/kit/metrics'
import { version } from '@gatehouse/kit/release'
import { createServer } from '../../services/gateway/src/server.ts'

/** docs/openapi.json: what the gateway says of itself, without a service behind it. */
export async function openapiDocument(): Promise<string> {
  const nobody = (): never => {
    throw new Error('nothing is asked while the routes are described')
  }
  const app = await createServer({
    tokens: { issue: nobody, introspect: nobody, revoke: nobody },
    clientRegistry: { registerClient: nobody, lookupClients: nobody, close: nobody },
    events: { getEventHealth: nobody, close: nobody },
    system: { last: nobody, look: nobody },
    collectMetrics: nobody,
    issuer: 'http://localhost:8080',
    scopesSupported: ['read', 'write', 'profile', 'email'],
    registration: { mode: 'open', token: undefined },
    corsOrigins: [],
    version,
    log: createLog('gateway', 'silent'),
    registry: createRegistry(version),
  })
  await app.ready()
  const document = app.swagger()
  await app.close()
  return `${JSON.stringify(document, null, 2)}\n`
}
