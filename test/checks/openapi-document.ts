import { brandOf } from '@gatehouse/kit/brand'
import { createLog } from '@gatehouse/kit/log'
import { createRegistry } from '@gatehouse/kit/metrics'
import { version } from '@gatehouse/kit/release'
import { createServer } from '../../services/gateway/src/server.ts'

/** Creates a gateway without services, for reading its routes. The caller closes it. */
export async function gatewayAlone() {
  const nobody = (): never => {
    throw new Error('nothing is asked while the routes are described')
  }
  // A service without any RPC.
  const nothing = {} as never
  const app = await createServer({
    tokens: nothing,
    identity: nothing,
    mails: nothing,
    events: nothing,
    clientRegistry: nothing,
    emit: nobody,
    auditLogs: [],
    replicas: nobody,
    rateLimits: nobody,
    system: { last: nobody, look: nobody },
    collectMetrics: nobody,
    issuer: 'https://auth.example.net',
    scopesSupported: ['read', 'write', 'profile', 'email'],
    registration: { mode: 'open', token: undefined, full: true },
    openid: true,
    formPost: true,
    grantTypes: ['authorization_code', 'client_credentials'],
    publicClients: false,
    clientMetadataDocuments: false,
    idTokenAlgorithms: ['RS256'],
    keySet: undefined,
    resourceIndicators: false,
    sessionKey: 'nobody logs in while the routes are described',
    accountDeletion: true,
    places: () => undefined,
    brand: brandOf({}),
    trustProxy: false,
    corsOrigins: [],
    version,
    stopping: new AbortController().signal,
    log: createLog('gateway', 'silent'),
    registry: createRegistry(version),
  })
  await app.ready()
  return app
}

/** docs/openapi.json: the gateway's own description. */
export async function openapiDocument(): Promise<string> {
  const app = await gatewayAlone()
  const document = app.swagger()
  await app.close()
  return `${JSON.stringify(document, null, 2)}\n`
}
