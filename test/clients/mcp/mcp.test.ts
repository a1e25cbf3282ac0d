import { issueToken } from '@gatehouse/test/oauth'
import { program } from '@gatehouse/test/programs/programs'
import { type DocumentSite, startDocumentSite } from '@gatehouse/test/servers/client-id-documents'
import { freePorts } from '@gatehouse/test/servers/server-process'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { authorizationRequest, pkce } from '../../e2e/logins/login-people.ts'
import { createClient } from '../../e2e/openid/openid-world.ts'
import { checkConformance } from './mcp-conformance.ts'
import { mcpSdk, sdks } from './mcp-sdk.ts'
import { type McpWorld, startMcpWorld } from './mcp-world.ts'

// The SDKs of the Model Context Protocol, used as in an agent or an editor, with the MCP server of docs/apps/mcp.md.

const openssl = await program('openssl')

let site: DocumentSite | undefined
let world: McpWorld
beforeAll(async () => {
  site = openssl ? await startDocumentSite(openssl) : undefined
  world = await startMcpWorld(site?.variables)
})
afterAll(async () => {
  await world?.stop()
  await site?.close()
})

let documents = 0
function publish(): string {
  documents += 1
  const path = `/editor-${documents}.json`
  // Those of Claude Code, which takes any port that is free (RFC 8252 section 7.3).
  site?.publish(path, { redirect_uris: ['http://localhost/callback', 'http://127.0.0.1/callback'] })
  return site?.clientId(path) ?? ''
}

describe.each(Object.entries(sdks))('%s', (_, open) => {
  mcpSdk(() => world, open, openssl === undefined ? undefined : publish)
})

test('the MCP server refuses tokens for others, and says who issues its own', async () => {
  const { system, jar, resource } = world
  const client = await createClient(system, jar, { grant_types: ['client_credentials'], scope: 'read' })
  const token = await issueToken(system, client)
  for (const authorization of ['', `Bearer ${token}`]) {
    const refused = await fetch(resource, { method: 'POST', headers: { authorization } })
    expect(refused.status).toBe(401)
    const challenge = refused.headers.get('www-authenticate')
    expect(challenge).toContain('scope="mcp:tools"')
    const [, address = ''] = /resource_metadata="([^"]+)"/.exec(challenge ?? '') ?? []
    expect(await (await fetch(address)).json()).toMatchObject({
      resource,
      authorization_servers: [system.baseUrl],
      scopes_supported: ['mcp:tools', 'mcp:write'],
    })
  }
})

// The metadata that these apps register and the redirect URI of their requests: docs/apps/mcp.md has the same.
const native = { token_endpoint_auth_method: 'none', application_type: 'native' }
test.each([
  [
    'Claude',
    { token_endpoint_auth_method: 'client_secret_post' },
    ['https://claude.ai/api/mcp/auth_callback'],
    'https://claude.ai/api/mcp/auth_callback',
  ],
  [
    'Cursor',
    { token_endpoint_auth_method: 'none' },
    [
      'cursor://anysphere.cursor-mcp/oauth/callback',
      'https://www.cursor.com/agents/mcp/oauth/callback',
      'http://localhost:8787/callback',
    ],
    'cursor://anysphere.cursor-mcp/oauth/callback',
  ],
  [
    'VS Code',
    { ...native, grant_types: ['authorization_code', 'urn:ietf:params:oauth:grant-type:device_code'] },
    [
      'https://insiders.vscode.dev/redirect',
      'https://vscode.dev/redirect',
      'http://127.0.0.1/',
      'http://127.0.0.1:33418/',
    ],
    'http://127.0.0.1:59656/',
  ],
])(
  '%s registers, and the user comes back to it',
  async (client_name, metadata, redirect_uris, redirect_uri) => {
    const { system, resource, agree } = world
    const { client_id } = await system.register({
      client_name,
      ...metadata,
      redirect_uris,
      scope: 'mcp:tools',
    })
    const address = new URL('/oauth/authorize', system.baseUrl)
    const { challenge: code_challenge } = pkce()
    const request = { ...authorizationRequest({ client_id }, code_challenge), redirect_uri, resource }
    address.search = `${new URLSearchParams(request)}`
    const landed = await agree(address)
    expect(`${landed}`.replace(landed.search, '')).toBe(redirect_uri)
    expect(landed.searchParams.get('code')).toBeTruthy()
  },
)

test('the conformance tool of MCP finds no fault', async () => {
  const { system, jar, resource, agree } = world
  const [port = 0] = await freePorts(1)
  const redirect_uris = [`http://127.0.0.1:${port}/callback`]
  const client = { token_endpoint_auth_method: 'none', redirect_uris, scope: 'mcp:tools' }
  const { client_id: clientId } = await createClient(system, jar, client)
  const run = { issuer: system.baseUrl, clientId, port, resource, agree }
  expect(await checkConformance(run)).toEqual({
    'authorization-server-metadata': 'SUCCESS',
    'authorization-server-metadata-cimd': 'SUCCESS',
    'authorization-code-grant': 'SUCCESS',
  })
})
