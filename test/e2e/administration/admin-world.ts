import { browse, type CookieJar, cookieHeader, logIn } from '@gatehouse/test/browser/browser-login'
import { credentialsOf } from '@gatehouse/test/oauth'
import { type RegisteredClient, startTestSystem, type TestSystem } from '@gatehouse/test/system'

export const rootName = 'root'
export const rootPassword = 'the password of the first administrator'
export const jwtSecret = 'a secret that signs the tokens of these tests'

/** The headers with which a caller authenticates. */
export type Credentials = Record<string, string>

/** An answer of the administrators' API. */
export type ApiAnswer<Body> = { status: number; headers: Headers; text: string; body: Body }

/** A list's answer. */
export type Items<Item> = { items: Item[] }

/** A user with their password. */
export type KnownUser = { user_id: string; username: string; password: string }

/** A system with an administrator, and functions that act as one. */
export type AdminWorld = {
  system: TestSystem
  /** The first administrator's browser session. */
  root: Credentials
  rootId: string
  /** A client with the scope admin, and a token of it. */
  operator: RegisteredClient
  operatorToken: string
  /** Sends a request to the API; a body is sent as JSON. */
  api<Body = Record<string, unknown>>(
    who: Credentials,
    method: string,
    path: string,
    body?: object,
  ): Promise<ApiAnswer<Body>>
  /** Sends a request as the administrator, and expects success. */
  done<Body = Record<string, unknown>>(method: string, path: string, body?: object): Promise<Body>
  addUser(admin?: boolean): Promise<KnownUser>
  /** A user's access token for the operator, by the password grant. */
  tokenOf(user: KnownUser, scope?: string): Promise<string>
  stop(): Promise<void>
}

/** The headers with a session's cookies, as the system's own pages send them. */
export async function sessionOf(
  system: TestSystem,
  username: string,
  password: string,
): Promise<Credentials> {
  return credentialsIn(system, await logIn(system, username, password))
}

export function bearer(token: string): Credentials {
  return { authorization: `Bearer ${token}` }
}

function credentialsIn({ baseUrl }: TestSystem, jar: CookieJar): Credentials {
  return { cookie: cookieHeader(jar), origin: new URL(baseUrl).origin, 'sec-fetch-site': 'same-origin' }
}

let users = 0

/** Starts a system for the tests of administration. */
export async function startAdminWorld(variables: Record<string, string> = {}): Promise<AdminWorld> {
  const system = await startTestSystem({
    OAUTH2_SEED_USERNAME: rootName,
    OAUTH2_SEED_PASSWORD: rootPassword,
    OAUTH2_JWT_SECRET: jwtSecret,
    OAUTH2_PASSWORD_GRANT_ENABLED: 'true',
    OAUTH2_REFRESH_TOKEN_ENABLED: 'true',
    // The administrators' guard must work with this variable too.
    OAUTH2_INTROSPECTION_REQUIRE_AUTH: 'true',
    ...variables,
  })
  const root = await sessionOf(system, rootName, rootPassword)

  const api: AdminWorld['api'] = async (who, method, path, body) => {
    const response = await system.request(path, {
      method,
      redirect: 'manual',
      headers: { ...who, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = /^application\/json/.test(response.headers.get('content-type') ?? '')
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson && text ? JSON.parse(text) : {},
    }
  }
  const done = async <Body = Record<string, unknown>>(method: string, path: string, body?: object) => {
    const answer = await api<Body>(root, method, path, body)
    if (answer.status >= 300)
      throw new Error(`${method} ${path} was answered ${answer.status} ${answer.text}`)
    return answer.body
  }

  const operator = await done<RegisteredClient>('POST', '/admin/api/clients', {
    client_name: 'Operator',
    grant_types: ['client_credentials', 'password', 'refresh_token'],
    scope: 'read admin',
  })
  const tokenFor = async (parameters: Record<string, string>) => {
    const response = await system.form('/oauth/token', { ...parameters, ...credentialsOf(operator) })
    const text = await response.text()
    if (response.status !== 200) throw new Error(`the token endpoint answered ${response.status}: ${text}`)
    return JSON.parse(text).access_token as string
  }
  const found = await done<Items<{ user_id: string }>>('GET', `/admin/api/users?search=${rootName}`)

  return {
    system,
    root,
    rootId: found.items[0]?.user_id ?? '',
    operator,
    operatorToken: await tokenFor({ grant_type: 'client_credentials' }),
    api,
    done,
    async addUser(admin = false) {
      users += 1
      const [username, password] = [`user-${users}`, `the password of user ${users}`]
      const { user_id } = await done<{ user_id: string }>('POST', '/admin/api/users', {
        username,
        password,
        admin,
      })
      return { user_id, username, password }
    },
    tokenOf: ({ username, password }, scope = 'read admin') =>
      tokenFor({ grant_type: 'password', username, password, scope }),
    stop: () => system.stop(),
  }
}

/** Whether a session is active. */
export async function isLoggedIn(system: TestSystem, { cookie = '' }: Credentials): Promise<boolean> {
  const response = await browse(system, new Map(), '/account', { headers: { cookie } })
  await response.body?.cancel()
  return response.status === 200
}

/** Whether a token is active, as another client sees it. */
export async function isActiveFor(
  { system, operator }: Pick<AdminWorld, 'system' | 'operator'>,
  token: string,
): Promise<boolean> {
  const response = await system.form('/oauth/introspect', { token, ...credentialsOf(operator) })
  return JSON.parse(await response.text()).active
}
