import { claimsOf } from '@gatehouse/test/jwt'
import * as v2 from '@modelcontextprotocol/client'
import * as v1 from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { expect, test } from 'vitest'
import { createClient } from '../../e2e/openid/openid-world.ts'
import { callback, StoredApp } from './mcp-app.ts'
import type { McpWorld } from './mcp-world.ts'

/** An app's connection to the MCP server, by one of the SDKs. */
type Connection = {
  connect(): Promise<void>
  /** Redeems the code with which the user came back. */
  finish(landed: URL): Promise<void>
  call(tool: string, args?: Record<string, unknown>): Promise<unknown>
  /** Begins a new authorization request for more scope, after 403 insufficient_scope. */
  askFor(scope: string): Promise<unknown>
}
type Open = (resource: string, app: StoredApp) => Connection

const about = { name: 'editor', version: '1.0.0' }
const calls =
  (client: Client | v2.Client): Connection['call'] =>
  async (name, args = {}) =>
    (await client.callTool({ name, arguments: args })).content

const openV1: Open = (resource, app) => {
  const client = new Client(about)
  const transport = new StreamableHTTPClientTransport(new URL(resource), { authProvider: app })
  return {
    connect: () => client.connect(transport as Parameters<Client['connect']>[0]),
    finish: (landed) => transport.finishAuth(landed.searchParams.get('code') ?? ''),
    call: calls(client),
    async askFor(scope) {
      // It would only refresh, and say that the scope is still insufficient.
      delete app.stored.tokens
      return v1.auth(app, { serverUrl: resource, scope })
    },
  }
}

const openV2: Open = (resource, app) => {
  const client = new v2.Client(about)
  const transport = new v2.StreamableHTTPClientTransport(new URL(resource), { authProvider: app })
  return {
    connect: () => client.connect(transport),
    finish: (landed) => transport.finishAuth(landed.searchParams),
    call: calls(client),
    // It has done so by itself when the tool was called.
    askFor: async () => undefined,
  }
}

/** The SDKs of MCP for TypeScript. */
export const sdks: Record<string, Open> = {
  '@modelcontextprotocol/sdk': openV1,
  '@modelcontextprotocol/client': openV2,
}

/** Connects an app that must first send its user to the authorization server. */
async function logInBy(open: Open, { resource, agree }: McpWorld, app: StoredApp): Promise<Connection> {
  const first = open(resource, app)
  await expect(first.connect()).rejects.toThrow('Unauthorized')
  expect(app.authorizationUrl.searchParams.get('resource')).toBe(resource)
  await first.finish(await agree(app.authorizationUrl))
  const connection = open(resource, app)
  await connection.connect()
  return connection
}

const claimsFor = ({ stored }: StoredApp) => claimsOf(stored.tokens?.access_token ?? '')
const withRefreshTokens = { grant_types: ['authorization_code', 'refresh_token'] }

/**
 * Tests one SDK with its defaults.
 * @param clientId publishes a metadata document for its app; undefined where that cannot be tried
 */
export function mcpSdk(there: () => McpWorld, open: Open, clientId?: () => string): void {
  const logIn = (app: StoredApp) => logInBy(open, there(), app)

  test('finds the authorization server, registers itself, logs the user in, calls a tool and refreshes', async () => {
    const app = new StoredApp(withRefreshTokens)
    const connection = await logIn(app)
    await connection.call('list_notes')
    const { tokens, client } = app.stored
    const { client_id, client_secret } = client ?? {}
    expect([client_id, client_secret]).toEqual([expect.stringMatching(/^client_/), expect.any(String)])
    expect(claimsFor(app)).toMatchObject({
      ...{ iss: there().system.baseUrl, aud: there().resource, client_id },
      scope: expect.stringMatching(/^mcp:tools( offline_access)?$/),
    })

    app.saveTokens({ ...tokens, token_type: 'bearer', access_token: 'one that expired' })
    await connection.call('list_notes')
    expect(app.stored.tokens?.refresh_token).not.toBe(tokens?.refresh_token)
    expect(claimsFor(app)).toMatchObject({ aud: there().resource })
  })

  test('asks the user for more when a tool needs more scope', async () => {
    const app = new StoredApp({ ...withRefreshTokens, token_endpoint_auth_method: 'none' })
    const connection = await logIn(app)
    const before = app.authorizationUrl
    await expect(connection.call('add_note', { text: 'Buy milk' })).rejects.toThrow(/Unauthorized|403/)
    await connection.askFor('mcp:tools mcp:write')
    expect(app.authorizationUrl).not.toBe(before)
    await connection.finish(await there().agree(app.authorizationUrl))
    const answer = [{ type: 'text', text: 'The note is added.' }]
    expect(await connection.call('add_note', { text: 'Buy milk' })).toEqual(answer)
    expect(claimsFor(app).scope).toMatch(/^mcp:tools (offline_access )?mcp:write$/)
  })

  test('uses the client that an administrator created', async () => {
    const { system, jar } = there()
    const app = new StoredApp()
    const client = { redirect_uris: [callback], scope: 'mcp:tools mcp:write' }
    const created = await createClient(system, jar, client)
    app.saveClientInformation({ ...created, issuer: system.baseUrl })
    await (await logIn(app)).call('list_notes')
    expect(claimsFor(app)).toMatchObject({ client_id: created.client_id, scope: 'mcp:tools' })
  })

  test.runIf(clientId)('comes with a metadata document instead of a registration', async () => {
    const app = new StoredApp(withRefreshTokens, clientId?.())
    const connection = await logIn(app)
    await connection.call('list_notes')
    expect(claimsFor(app)).toMatchObject({ client_id: app.clientMetadataUrl, aud: there().resource })
    await expect(connection.call('add_note', { text: 'Buy bread' })).rejects.toThrow(/Unauthorized|403/)
    await connection.askFor('mcp:tools mcp:write')
    await connection.finish(await there().agree(app.authorizationUrl))
    await connection.call('add_note', { text: 'Buy bread' })
  })
}
