import { join } from 'node:path'
import { type CookieJar, logIn } from '@gatehouse/test/browser/browser-login'
import { untilReady } from '@gatehouse/test/oauth'
import { freePorts, prepareServer } from '@gatehouse/test/servers/server-process'
import { sharedAdmin, startTestSystem, type TestSystem } from '@gatehouse/test/system'
import { asAdministrator, follow } from '../../e2e/openid/openid-world.ts'

/** A system with the profile mcp, and the MCP server of docs/apps/mcp.md, which takes its tokens. */
export type McpWorld = {
  system: TestSystem
  /** A user's browser. */
  jar: CookieJar
  /** The address of the MCP server, which is also its identifier. */
  resource: string
  /** Sends the user to the authorization endpoint, where they agree, and returns the URL of the redirect. */
  agree(address: URL): Promise<URL>
  stop(): Promise<void>
}

/** Starts both. @param variables those of the system, besides its profile */
export async function startMcpWorld(variables: Record<string, string> = {}): Promise<McpWorld> {
  const ended = new AsyncDisposableStack()
  try {
    const { username, password } = sharedAdmin
    const seed = { OAUTH2_SEED_USERNAME: username, OAUTH2_SEED_PASSWORD: password }
    const system = await startTestSystem({ OAUTH2_PROFILE: 'mcp', ...seed, ...variables })
    ended.defer(() => system.stop())
    await untilReady(system)
    const jar = await logIn(system, username, password)
    const [port = 0] = await freePorts(1)
    const resource = `http://localhost:${port}/mcp`
    await addResourceServer(system, jar, resource)
    const environment = { ISSUER: system.baseUrl, RESOURCE: resource, PORT: String(port) }
    const server = await prepareServer(async () => ({
      path: process.execPath,
      argv: [join(import.meta.dirname, 'mcp-server.ts')],
      environment,
      probe: () => fetch(resource),
    }))
    ended.defer(server.close)
    await server.start()
    return { system, jar, resource, agree: (to) => agree(system, jar, to), stop: () => ended.disposeAsync() }
  } catch (error) {
    await ended.disposeAsync()
    throw error
  }
}

async function addResourceServer(system: TestSystem, jar: CookieJar, identifier: string): Promise<void> {
  const answer = await asAdministrator(system, jar, 'POST', '/admin/api/resources', {
    identifier,
    name: 'Notes',
    scopes: [
      { scope: 'mcp:tools', description: 'Use its tools' },
      { scope: 'mcp:write', description: 'Change your notes' },
    ],
    open_registration: true,
  })
  if (answer.status !== 201) throw new Error(`the resource server was answered ${await answer.text()}`)
}

async function agree(system: TestSystem, jar: CookieJar, address: URL): Promise<URL> {
  const { page, at } = await follow(system, jar, address)
  if (page !== '') throw new Error(`the user stays at ${at}: ${page.replace(/<[^>]*>|\s+/g, ' ')}`)
  return at
}
