import { hash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { actorMessage } from '@gatehouse/kit/actor'
import { createRpcClient, type RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import { IdentityServiceService } from '@gatehouse/proto/identity/v1'
import { authorize, type CookieJar, logIn } from '@gatehouse/test/browser/browser-login'
import { credentialsOf, introspectionOf, untilReady } from '@gatehouse/test/oauth'
import { type RegisteredClient, startTestSystem, type TestSystem } from '@gatehouse/test/system'
import { Client, type QueryResultRow } from 'pg'

export const redirectUri = 'https://app.example/cb'
/** The password of every user. */
export const password = 'a long enough password'

/** A token response. */
export type TokenAnswer = {
  access_token: string
  refresh_token?: string
  expires_in: number
  scope: string
}

/** A user who is logged in. */
export type Person = { userId: string; username: string; jar: CookieJar }

/** A code with its verifier. */
export type Code = { code: string; code_verifier: string }

/** A code verifier and its challenge by S256 (RFC 7636 section 4). */
export function pkce(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: hash('sha256', verifier, 'base64url') }
}

/** Connects to a system's identity service. Close the client at the end. */
export function identityOf(system: TestSystem): RpcClient<typeof IdentityServiceService> {
  const service = system.processes.find(({ name }) => name === 'identity')
  return createRpcClient(IdentityServiceService, `127.0.0.1:${service?.grpcPort}`, 5_000)
}

/** An administrator who does not exist, which the services do not check. */
export const actor = actorMessage({
  kind: 'user',
  id: '0190f0a0-0000-7000-8000-00000000000a',
  name: 'root',
  ipAddress: '192.0.2.1',
})

let people = 0

/** Adds a user and logs them in. */
export async function addPerson(system: TestSystem, name = 'person'): Promise<Person> {
  people += 1
  const username = `${name}-${people}`
  const userId = await addUser(system, username)
  return { userId, username, jar: await logIn(system, username, password) }
}

/** Adds a user whose password is `password`. */
export async function addUser(system: TestSystem, username: string): Promise<string> {
  const identity = identityOf(system)
  try {
    const { user } = await identity.createUser({
      ...{ username, password, admin: false, attributes: undefined, actor },
    })
    return user?.userId ?? ''
  } finally {
    identity.close()
  }
}

/** Registers a client for the code flow, with the scope `read write profile`. */
export function registerApp(
  system: Pick<TestSystem, 'register'>,
  metadata: Record<string, unknown> = {},
): Promise<RegisteredClient> {
  return system.register({
    client_name: 'Acme',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token', 'password', 'client_credentials'],
    scope: 'read write profile',
    ...metadata,
  })
}

/** Makes test cases of values, each with a readable name. */
export function named(values: readonly string[]): [name: string, value: string][] {
  return values.map((value) => [JSON.stringify(value).slice(0, 60), value])
}

/** The parameters of a valid authorization request. */
export function authorizationRequest(client: { client_id: string }, challenge: string) {
  return {
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: redirectUri,
    state: 'a state',
    code_challenge: challenge,
    code_challenge_method: 'S256',
  }
}

/** Gets a code for a client from a user who is logged in. */
export async function codeFor(
  system: TestSystem,
  { jar }: Person,
  client: { client_id: string },
  changes: Record<string, string> = {},
): Promise<Code> {
  const { verifier, challenge } = pkce()
  const answer = await authorize(system, jar, { ...authorizationRequest(client, challenge), ...changes })
  const code = answer.searchParams.get('code')
  if (!code) throw new Error(`no code: ${answer.searchParams.get('error')}`)
  return { code, code_verifier: verifier }
}

/** Sends a code to the token endpoint. */
export function redeem(
  system: TestSystem,
  client: Partial<RegisteredClient>,
  code: Record<string, string>,
): Promise<Response> {
  return system.form('/oauth/token', { grant_type: 'authorization_code', ...client, ...code })
}

/** Sends a refresh token to the token endpoint. */
export function refresh(
  system: TestSystem,
  client: RegisteredClient,
  refreshToken: string,
  changes: Record<string, string> = {},
): Promise<Response> {
  const form = { grant_type: 'refresh_token', refresh_token: refreshToken, ...credentialsOf(client) }
  return system.form('/oauth/token', { ...form, ...changes })
}

/** Parses a token response. @throws Error for an error response */
export async function tokensOf(response: Response): Promise<TokenAnswer> {
  const text = await response.text()
  if (response.status !== 200) throw new Error(`the token endpoint answered ${response.status}: ${text}`)
  return JSON.parse(text)
}

/** Gets tokens of a user for a client. */
export async function tokensFor(
  system: TestSystem,
  person: Person,
  client: RegisteredClient,
): Promise<TokenAnswer & { refresh_token: string }> {
  const response = await redeem(system, credentialsOf(client), await codeFor(system, person, client))
  const tokens = await tokensOf(response)
  return { refresh_token: '', ...tokens }
}

/** Whether a token is active. */
export async function isActive(system: TestSystem, token: string): Promise<boolean> {
  const answer = await introspectionOf(system, token)
  if (answer === '{"active":false}') return false
  return JSON.parse(answer).active
}

/** Runs one statement in the system's database. */
export async function query<Row extends QueryResultRow>(
  system: Pick<TestSystem, 'databaseUrl'>,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const database = new Client(system.databaseUrl)
  await database.connect()
  return database
    .query<Row>(text, values)
    .then(({ rows }) => rows)
    .finally(() => database.end())
}

/** The SHA-256 under which codes, refresh tokens and sessions are stored. */
export function digestOf(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}

/** Two systems that act as one: separate processes with one database, one issuer and the same secrets. */
export type TwoReplicas = {
  /** The first system, whose base URL is the issuer. */
  system: TestSystem
  /** The second system, which has the first one's base URL. */
  other: TestSystem
  /** The addresses of the two gateways. */
  gateways: [string, string]
  stop(): Promise<void>
}

/** Starts two replicas of every process. */
export async function startTwoReplicas(variables: Record<string, string> = {}): Promise<TwoReplicas> {
  const shared = {
    OAUTH2_JWT_SECRET: randomBytes(32).toString('base64url'),
    OAUTH2_SESSION_KEY: randomBytes(32).toString('base64url'),
    ...variables,
  }
  const system = await startTestSystem(shared)
  await untilReady(system)
  const { system: other, gateway } = await startBeside(system, shared).catch(async (error) => {
    await system.stop()
    throw error
  })
  return {
    system,
    other,
    gateways: [system.baseUrl, gateway],
    async stop() {
      await other.stop()
      await system.stop()
    },
  }
}

/** Starts another system with the database and issuer of the first, and returns its gateway's address. */
export async function startBeside(
  first: TestSystem,
  variables: Record<string, string>,
): Promise<{ system: TestSystem; gateway: string }> {
  const port = await freePort()
  const system = await startTestSystem({
    ...variables,
    OAUTH2_DATABASE_URL: first.databaseUrl,
    OAUTH2_SERVER_PUBLIC_BASE_URL: first.baseUrl,
    OAUTH2_SERVER_PORT: String(port),
  })
  const gateway = `http://127.0.0.1:${port}`
  await untilReady({ request: (path) => fetch(new URL(path, gateway)) })
  return { system, gateway }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}
