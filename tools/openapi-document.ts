import { loadConfig } from '@gatehouse/kit/config/load-config'
import { version } from '@gatehouse/kit/release'
import { createLog } from '@gatehouse/kit/telemetry/log'
import { createRegistry } from '@gatehouse/kit/telemetry/metrics'
import type { Profile } from '@gatehouse/proto/profiles'
import { gatewayConfig } from '../services/gateway/src/config.ts'
import { createServer } from '../services/gateway/src/server.ts'
import { settingsOf } from '../services/gateway/src/settings.ts'

/** The variables that have no default. */
const needed = {
  OAUTH2_SERVER_PUBLIC_BASE_URL: 'https://auth.example.net',
  OAUTH2_SESSION_KEY: 'nobody logs in while the routes are described',
  OAUTH2_TOKEN_ADDR: 'token:50051',
  OAUTH2_CLIENT_REGISTRY_ADDR: 'client-registry:50051',
  OAUTH2_IDENTITY_ADDR: 'identity:50051',
  OAUTH2_EVENTS_ADDR: 'events:50051',
}

/**
 * Creates a gateway without services, for reading its routes. The caller closes it.
 * @param profile by default the one that has the routes of all others
 */
export async function gatewayAlone(profile: Profile = 'mcp') {
  const nobody = (): never => {
    throw new Error('nothing is asked while the routes are described')
  }
  // A service without any RPC.
  const nothing = {} as never
  const app = await createServer({
    ...settingsOf(loadConfig(gatewayConfig, { ...needed, OAUTH2_PROFILE: profile })),
    tokens: nothing,
    identity: nothing,
    mails: nothing,
    organizationService: nothing,
    connectionService: nothing,
    events: nothing,
    clientRegistry: nothing,
    emit: nobody,
    auditLogs: [],
    replicas: nobody,
    encrypting: nothing,
    rateLimits: nobody,
    system: { last: nobody, look: nobody },
    collectMetrics: nobody,
    // The document says of each answer which headers it has where requests are limited.
    limits: { limiter: nothing, known: nothing, over: nothing },
    keySet: undefined,
    places: () => undefined,
    version,
    stopping: new AbortController().signal,
    log: createLog('gateway', 'silent'),
    registry: createRegistry(version),
  })
  await app.ready()
  return app
}

/** docs/reference/openapi.json: the gateway's own description. */
export async function openapiDocument(): Promise<string> {
  const app = await gatewayAlone()
  const document = app.swagger()
  await app.close()
  return `${JSON.stringify(document, null, 2)}\n`
}
