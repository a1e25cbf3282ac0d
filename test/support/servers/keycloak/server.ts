import { createEmptyDatabase } from '../../postgres/database.ts'
import { freePorts, prepareServer } from '../server-process.ts'
import { keycloakAdministrator, keycloakCommand } from './command.ts'

/** A real Keycloak with a database of its own. */
export type TestKeycloak = {
  /** Its address. */
  baseUrl: string
  /**
   * Sends a request to its admin API as its administrator.
   * @param path below /admin/realms, such as `/acme/users`; empty for the list of realms
   * @returns the JSON of the answer; undefined for an answer without content
   * @throws Error for another status than 2xx
   */
  admin<Body = unknown>(method: string, path: string, body?: object): Promise<Body>
  close(): Promise<void>
}

/** In milliseconds: it makes all of its tables, which takes long beside other load. */
export const keycloakStart = 500_000
/** Lighter and quicker to start than a server in earnest. */
const javaFlags = '-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:MaxMetaspaceSize=256m -Dfile.encoding=UTF-8'

/**
 * Starts Keycloak in production mode, with http.
 * @param home its distribution
 */
export async function startKeycloak(home: string): Promise<TestKeycloak> {
  await using ended = new AsyncDisposableStack()
  const database = await createEmptyDatabase()
  ended.defer(database.drop)
  const [port, managementPort] = (await freePorts(2)) as [number, number]
  const baseUrl = `http://127.0.0.1:${port}`
  const databaseUrl = database.url
  const { environment, ...command } = keycloakCommand(home, { databaseUrl, port, managementPort })
  const server = await prepareServer(async () => ({
    ...command,
    environment: { ...environment, JAVA_OPTS_KC_HEAP: '-Xms64m -Xmx640m', JAVA_OPTS: javaFlags },
    startTimeout: keycloakStart,
    async probe() {
      const { status } = await fetch(`http://127.0.0.1:${managementPort}/health/ready`)
      if (status !== 200) throw new Error(`it answers ${status}`)
    },
  }))
  ended.defer(() => server.close())
  await server.start()
  const all = ended.move()
  return {
    baseUrl,
    async admin(method, path, body) {
      const response = await fetch(`${baseUrl}/admin/realms${path}`, {
        method,
        headers: { authorization: `Bearer ${await tokenAt(baseUrl)}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status} ${text}`)
      return text === '' ? undefined : JSON.parse(text)
    },
    close: () => all.disposeAsync(),
  }
}

/** A token of the administrator. It lives for a minute, so each request has its own. */
async function tokenAt(baseUrl: string): Promise<string> {
  const response = await fetch(`${baseUrl}/realms/master/protocol/openid-connect/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'password', client_id: 'admin-cli', ...keycloakAdministrator }),
  })
  if (!response.ok) throw new Error(`the administrator’s login was answered ${response.status}`)
  return ((await response.json()) as { access_token: string }).access_token
}
