import { createSecretKey } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'
import { opaqueResource, receiveSettings } from './rivals.ts'

/**
 * The authorization server that most Node.js projects use, in one process with its in-memory adapter. Its
 * JWTs (HS256, as Gatehouse's) are self-contained: it keeps no record of them, and refuses to introspect them. So
 * its introspection is measured with its opaque tokens, which it keeps in memory.
 */
const { credentials } = await receiveSettings()
const key = createSecretKey(Buffer.from(credentials.jwtSecret))
const resource = { scope: 'read', audience: 'urn:bench', accessTokenTTL: 3600 }
const provider = new Provider('http://127.0.0.1', {
  clients: [
    {
      client_id: credentials.clientId,
      client_secret: credentials.clientSecret,
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
      token_endpoint_auth_method: 'client_secret_post',
      scope: 'read',
    },
  ],
  scopes: ['read'],
  routes: { token: '/oauth/token', introspection: '/oauth/introspect' },
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    introspection: { enabled: true, allowedPolicy: () => true },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => 'urn:bench:jwt',
      getResourceServerInfo: (_context: unknown, identifier: string) =>
        identifier === opaqueResource
          ? { ...resource, accessTokenFormat: 'opaque' }
          : { ...resource, accessTokenFormat: 'jwt', jwt: { sign: { alg: 'HS256', key } } },
    },
  },
})
const server = createServer(provider.callback())
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
