import { type DocumentSite, startDocumentSite } from '@gatehouse/test/client-id-documents'
import { issueToken } from '@gatehouse/test/oauth'
import { program } from '@gatehouse/test/programs'
import { freePorts } from '@gatehouse/test/server-process'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClient } from '../e2e/openid-world.ts'
import { checkConformance } from './mcp-conformance.ts'
import { mcpSdk, sdks } from './mcp-sdk.ts'
import { type McpWorld, startMcpWorld } from './mcp-world.ts'

// The SDKs of the Model Context Protocol, used as in an agent or an editor, with the MCP server of docs/mcp.md.

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
