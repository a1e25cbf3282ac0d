import { createServer } from 'node:http'
import { exportJWK, generateKeyPair } from 'jose'
import Provider from 'oidc-provider'
import { Pool } from 'pg'
import { app, redirectUri } from './app.ts'
import { postgresAdapter } from './oidc-provider-adapter.ts'

const { PORT = '', DATABASE_URL, CLIENT_SECRET = app.client_secret } = process.env
const { privateKey } = await generateKeyPair('RS256', { extractable: true })
const adapter = DATABASE_URL && (await postgresAdapter(new Pool({ connectionString: DATABASE_URL })))

const provider = new Provider(`http://127.0.0.1:${PORT}`, {
  ...(adapter && { adapter }),
  clients: [
    {
      client_id: app.client_id,
      client_secret: CLIENT_SECRET,
      grant_types: ['client_credentials', 'authorization_code', 'refresh_token'],
      redirect_uris: [redirectUri],
      response_types: ['code'],
      token_endpoint_auth_method: 'client_secret_post',
    },
  ],
  jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig' }] },
  cookies: { keys: ['the key of the cookies of this benchmark'] },
  scopes: ['openid', 'offline_access', 'read'],
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    introspection: { enabled: true },
  },
  issueRefreshToken: async () => true,
  rotateRefreshToken: true,
  findAccount: (_context: unknown, id: string) => ({ accountId: id, claims: async () => ({ sub: id }) }),
  // Its documentation's way to skip the consent page: the grant is found, or made at the first request of a session.
  async loadExistingGrant({ oidc }: { oidc: GrantContext }) {
    const { client, session, provider } = oidc
    const id = oidc.result?.consent?.grantId ?? session.grantIdFor(client.clientId)
    if (id) return provider.Grant.find(id)
    const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId })
    grant.addOIDCScope('read')
    await grant.save()
    return grant
  },
})

type GrantContext = {
  client: { clientId: string }
  session: { accountId: string; grantIdFor(clientId: string): string | undefined }
  result?: { consent?: { grantId?: string } }
  provider: {
    Grant: {
      new (of: object): { addOIDCScope(scope: string): void; save(): Promise<unknown> }
      find(id: string): Promise<unknown>
    }
  }
}

// The login page of whoever uses the library: here it lets everybody in.
const answer = provider.callback()
createServer((request, response) => {
  if (!request.url?.startsWith('/interaction/')) return answer(request, response)
  const accountId = String(request.headers['x-account'] ?? 'somebody')
  provider.interactionFinished(request, response, { login: { accountId } }).catch((error: Error) => {
    response.writeHead(500).end(error.message)
  })
}).listen(Number(PORT), '127.0.0.1')
