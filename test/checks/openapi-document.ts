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
    tokens: {
      issue: nobody,
      issueFor: nobody,
      introspect: nobody,
      revoke: nobody,
      checkAuthorizationRequest: nobody,
      createAuthorizationCode: nobody,
    },
    identity: {
      authenticateUser: nobody,
      logIn: nobody,
      getSession: nobody,
      listSessions: nobody,
      endSession: nobody,
      changePassword: nobody,
      getConsent: nobody,
      askConsent: nobody,
      answerConsent: nobody,
      listConsents: nobody,
      withdrawConsent: nobody,
      createUser: nobody,
      setUserDisabled: nobody,
      close: nobody,
    },
    clientRegistry: { registerClient: nobody, lookupClients: nobody, close: nobody },
    events: { getEventHealth: nobody, close: nobody },
    system: { last: nobody, look: nobody },
    collectMetrics: nobody,
    issuer: 'http://localhost:8080',
    scopesSupported: ['read', 'write', 'profile', 'email'],
    registration: { mode: 'open', token: undefined },
    grantTypes: ['authorization_code', 'client_credentials'],
    publicClients: false,
    sessionKey: 'nobody logs in while the routes are described',
    trustProxy: false,
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
