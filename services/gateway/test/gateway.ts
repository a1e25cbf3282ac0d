import { createRegistry } from '@gatehouse/kit/metrics'
import { recordedLog } from '../../kit/test/recorded-log.ts'
import { createServer, type ServerDeps } from '../src/server.ts'

type Client = NonNullable<Awaited<ReturnType<ServerDeps['clientRegistry']['registerClient']>>['client']>

export const issuer = 'https://auth.example'

export const token = { accessToken: 'a.b.c', expiresIn: 600, scope: 'read write' }

export const activeToken = {
  scope: 'read',
  clientId: 'client_a',
  username: 'ann',
  exp: 1_900_000_600,
  iat: 1_900_000_000,
  sub: 'user-1',
  aud: 'https://api.example',
  iss: issuer,
  jti: '0190f0a0-0000-7000-8000-000000000000',
}

export const client: Client = {
  clientId: 'client_a',
  clientName: 'Acme',
  redirectUris: ['https://app.example/cb'],
  grantTypes: ['authorization_code'],
  scope: 'read',
  tokenEndpointAuthMethod: 'client_secret_basic',
  createdAt: new Date('2030-01-01T00:00:00.900Z'),
  revision: 1n,
  disabled: false,
  secrets: [],
}

let unchanged: ReturnType<typeof newGateway> | undefined

/**
 * The public server over services that always answer well, but for what a test changes. Those who change nothing share
 * one, which has forgotten what others asked of it.
 */
export async function gateway(changes?: Partial<ServerDeps>) {
  if (changes) return newGateway(changes)
  unchanged ??= newGateway({})
  const shared = await unchanged
  shared.calls.length = 0
  shared.lines.length = 0
  return shared
}

async function newGateway(changes: Partial<ServerDeps>) {
  const { log, lines } = recordedLog()
  const calls: { name: string; request: unknown }[] = []
  const recorded =
    <Answer>(name: string, answer: Answer) =>
    async (request: unknown) => {
      calls.push({ name, request })
      return answer
    }
  const registry = createRegistry('1.2.3')
  const app = await createServer({
    tokens: {
      issue: recorded('issue', token),
      introspect: recorded('introspect', activeToken),
      revoke: recorded('revoke', {}),
    },
    clientRegistry: {
      registerClient: recorded('registerClient', { client, clientSecret: 'the secret' }),
      lookupClients: async () => ({ changed: [], unknown: [] }),
      close: () => undefined,
    },
    events: {
      getEventHealth: recorded('getEventHealth', { enabled: false, plugins: [] }),
      close: () => undefined,
    },
    system: {
      last: () => ({ services: true, database: true }),
      look: async () => ({ services: true, database: true }),
    },
    collectMetrics: () => registry.metrics(),
    issuer,
    scopesSupported: ['read', 'write'],
    registration: { mode: 'open', token: undefined },
    corsOrigins: [],
    version: '1.2.3',
    log,
    registry,
    ...changes,
  })

  /** A request as a client sends it; a text is a form, anything else JSON. */
  async function send(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS',
    url: string,
    body?: unknown,
    headers = {},
  ) {
    const type = typeof body === 'string' ? 'application/x-www-form-urlencoded' : 'application/json'
    const response = await app.inject({
      method,
      url,
      headers: { ...(body === undefined ? {} : { 'content-type': type }), ...headers },
      ...(body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    return { status: response.statusCode, headers: response.headers, text: response.body }
  }

  return { send, calls, lines }
}

/** The error code of an answer, and that it has the form of every error. */
export function errorOf(answer: { headers: Record<string, unknown>; text: string }): string {
  if (answer.headers['content-type'] !== 'application/json; charset=utf-8')
    throw new Error('this is no JSON error')
  const { error, error_description: description, ...rest } = JSON.parse(answer.text)
  if (typeof error !== 'string' || typeof description !== 'string' || Object.keys(rest).length > 0) {
    throw new Error(`this is no error: ${answer.text}`)
  }
  return error
}
