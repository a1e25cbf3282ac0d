import { createServer, type RequestListener } from 'node:http'
import { toNodeHandler } from '@modelcontextprotocol/node'
import {
  type AuthInfo,
  createMcpHandler,
  getOAuthProtectedResourceMetadataUrl,
  McpServer,
  OAuthError,
  OAuthErrorCode,
  type OAuthMetadata,
  oauthMetadataResponse,
  requireBearerAuth,
  requireScopes,
} from '@modelcontextprotocol/server'
import { createRemoteJWKSet, errors, jwtVerify } from 'jose'
import * as z from 'zod'

const issuer = process.env.ISSUER ?? 'http://localhost:8080'
const resource = process.env.RESOURCE ?? 'http://localhost:3000/mcp'
const port = Number(process.env.PORT ?? 3000)

// RFC 8414: the authorization server says where its keys are.
const discovery = await fetch(`${issuer}/.well-known/oauth-authorization-server`)
const oauthMetadata = (await discovery.json()) as OAuthMetadata & { jwks_uri: string }
const keys = createRemoteJWKSet(new URL(oauthMetadata.jwks_uri))

/** Verifies an access token (RFC 9068 section 4) with the published keys, without a request for each token. */
async function verifyAccessToken(token: string): Promise<AuthInfo> {
  try {
    const { payload } = await jwtVerify(token, keys, { issuer, audience: resource, typ: 'at+jwt' })
    const { sub, client_id, scope = '', exp } = payload as Record<string, string> & { exp: number }
    return { token, clientId: `${client_id}`, scopes: scope.split(' '), expiresAt: exp, extra: { sub } }
  } catch (error) {
    // When the keys cannot be read, nothing is known of the token: that is a 500, not a 401.
    if (!(error instanceof errors.JOSEError) || /GENERIC|TIMEOUT/.test(error.code)) throw error
    throw new OAuthError(OAuthErrorCode.InvalidToken, 'The access token is invalid or expired')
  }
}

/** The notes of each user, by their subject. */
const notes = new Map<unknown, string[]>()

function createNotesServer(): McpServer {
  const server = new McpServer({ name: 'notes', version: '1.0.0' })
  server.registerTool('list_notes', { description: 'Lists your notes.' }, ({ http }) => {
    const own = notes.get(http?.authInfo?.extra?.sub) ?? []
    return { content: [{ type: 'text', text: own.join('\n') || 'There are no notes.' }] }
  })
  server.registerTool(
    'add_note',
    {
      description: 'Adds a note.',
      inputSchema: z.object({ text: z.string() }),
      // Answers 403 insufficient_scope to a token that has not both, and names both.
      scopeChallenge: requireScopes('mcp:tools', 'mcp:write'),
    },
    ({ text }, { http }) => {
      const user = http?.authInfo?.extra?.sub
      notes.set(user, [...(notes.get(user) ?? []), text])
      return { content: [{ type: 'text', text: 'The note is added.' }] }
    },
  )
  return server
}

const handler = createMcpHandler(createNotesServer)

// Answers 401, with the address of the metadata, to a request without a valid token.
const authenticate = requireBearerAuth({
  verifier: { verifyAccessToken },
  requiredScopes: ['mcp:tools'],
  resourceMetadataUrl: getOAuthProtectedResourceMetadataUrl(new URL(resource)),
})

// RFC 9728: tells clients which authorization server to ask, and for which scopes.
const metadata = {
  oauthMetadata,
  resourceServerUrl: new URL(resource),
  scopesSupported: ['mcp:tools', 'mcp:write'],
  resourceName: 'Notes',
}

async function answer(request: Request): Promise<Response> {
  const document = oauthMetadataResponse(request, metadata)
  if (document) return document
  if (new URL(request.url).pathname !== new URL(resource).pathname) return new Response('', { status: 404 })
  const authInfo = await authenticate(request)
  return authInfo instanceof Response ? authInfo : handler.fetch(request, { authInfo })
}

const listener = toNodeHandler({ fetch: answer }) as RequestListener
createServer(listener).listen(port, () => {
  console.log(`Notes are served at ${resource} for tokens of ${issuer}`)
})
