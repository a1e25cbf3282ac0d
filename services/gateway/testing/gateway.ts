import { brandOf } from '@gatehouse/kit/people/brand'
import { createRegistry } from '@gatehouse/kit/telemetry/metrics'
import { recordedLog } from '@gatehouse/kit/testing/recorded-log'
import { type AuthorizationResponse, LoginReason, type PendingAuthorization } from '@gatehouse/proto/token/v1'
import { createServers, type ServerNeeds } from '../src/server.ts'
import { routesOf } from '../test/openapi/route-table.ts'
import { noConnections, noOrganizations } from './no-organizations.ts'
import { noUsers } from './no-users.ts'

type Services = Pick<
  ServerNeeds,
  'tokens' | 'identity' | 'mails' | 'organizationService' | 'connectionService' | 'clientRegistry'
>

/** A test's differences from the default: of the three services, only the calls that it names. */
export type Changes = Partial<Omit<ServerNeeds, keyof Services>> & {
  [Name in keyof Services]?: Partial<Services[Name]>
}

/** A call that a service got. */
export type Call = { name: string; request: unknown }

type Client = NonNullable<Awaited<ReturnType<ServerNeeds['clientRegistry']['registerClient']>>['client']>

export const issuer = 'https://auth.example'

export const sessionKey = 'a session key of more than 32 bytes for tests'

export const token = { accessToken: 'a.b.c', expiresIn: 600, scope: 'read write' }

export const activeToken = {
  scope: 'read',
  clientId: 'client_a',
  username: 'ann',
  exp: 1_900_000_600,
  iat: 1_900_000_000,
  sub: 'user-1',
  aud: 'https://api.example',
  audiences: [],
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
  firstParty: false,
  metadata: {},
  secrets: [],
  createdBy: 'registration',
  scopeSetBy: 'registration',
}

const nothingEncrypted = {
  ...{ read: 0, rewritten: 0, unreadable: 0, next: '' },
  ...{ neededUntil: undefined, sessionsUntil: undefined },
}

/** An authorization request that waits for its user. */
export const pending: PendingAuthorization = {
  flowId: '0190f0a0-0000-7000-8000-00000000000f',
  resources: [],
  consentScope: 'read',
  clientId: 'client_a',
  clientName: 'Acme',
  redirectUri: 'https://app.example/cb',
  scope: 'read',
  selfRegistered: false,
  loginReason: LoginReason.LOGIN_REASON_UNSPECIFIED,
}

/** The token service's next step: to log the user in, or to ask for consent. */
export function nextStep(
  $case: 'logIn' | 'askConsent' | 'chooseOrganization',
  changes: Partial<typeof pending> = {},
) {
  return { next: { step: { $case, value: { ...pending, ...changes } } } }
}

/** The token service's next step: the answer to the client. */
export function nextResponse(response: Partial<AuthorizationResponse> = {}) {
  const { clientId, redirectUri } = pending
  const outcome = { $case: 'code' as const, value: 'the-code' }
  const value = { clientId, redirectUri, state: 'the-state', outcome, ...response }
  return { next: { step: { $case: 'respond' as const, value } } }
}

const begin: Services['tokens']['beginAuthorization'] = async ({ request, user }) =>
  nextStep(user ? 'askConsent' : 'logIn', { redirectUri: request?.redirectUri ?? '' })

let unchanged: ReturnType<typeof newGateway> | undefined

/**
 * The public server over services that always succeed, except for a test's changes; calls that administrators make
 * changes with have no default. Tests without changes share one server, whose recorded calls are reset.
 */
export async function gateway(changes?: Changes) {
  if (changes) return newGateway(changes)
  unchanged ??= newGateway({})
  const shared = await unchanged
  shared.calls.length = 0
  shared.lines.length = 0
  return shared
}

async function newGateway({
  tokens,
  identity,
  mails,
  organizationService,
  connectionService,
  clientRegistry,
  ...changes
}: Changes) {
  const { log, lines } = recordedLog()
  const calls: Call[] = []
  const recorded =
    <Request, Answer>(name: string, answer: Answer | ((request: Request) => Promise<Answer>)) =>
    async (request: Request): Promise<Answer> => {
      calls.push({ name, request })
      return typeof answer === 'function'
        ? (answer as (request: Request) => Promise<Answer>)(request)
        : answer
    }
  const changed = <Service>(service: Partial<Service>, others: Partial<Service> = {}): Service => {
    const recording = Object.entries<unknown>(others).map(([name, answer]) => [
      name,
      (request: unknown) => {
        calls.push({ name, request })
        return (answer as (request: unknown) => unknown)(request)
      },
    ])
    return { ...service, ...Object.fromEntries(recording) } as Service
  }
  const registry = createRegistry('1.2.3')
  const { app, mutualTls } = await createServers({
    tokens: changed<Services['tokens']>(
      {
        issue: recorded('issue', token),
        introspect: recorded('introspect', activeToken),
        revoke: recorded('revoke', {}),
        pushAuthorization: recorded('pushAuthorization', {
          requestUri: 'urn:ietf:params:oauth:request_uri:x',
          expiresIn: 60,
        }),
        beginAuthorization: recorded('beginAuthorization', begin),
        getAuthorization: recorded('getAuthorization', { authorization: pending }),
        continueAuthorization: recorded('continueAuthorization', nextResponse()),
        listAccessTokens: recorded('listAccessTokens', { tokens: [], nextCursor: undefined }),
        listTokenHolders: recorded('listTokenHolders', { holders: [] }),
        listUsage: recorded('listUsage', { minutes: [] }),
        listTopClients: recorded('listTopClients', { clients: [] }),
        listClientUsage: recorded('listClientUsage', { days: [], lastUsedAt: undefined }),
        listClientAuthenticationFailures: recorded('listClientAuthenticationFailures', {
          failures: [],
          nextCursor: undefined,
          cursors: [],
        }),
        listSigningKeys: recorded('listSigningKeys', { keys: [] }),
      },
      tokens,
    ),
    clientRegistry: changed<Services['clientRegistry']>(
      {
        registerClient: recorded('registerClient', { client, clientSecret: 'the secret' }),
        lookupClients: recorded('lookupClients', { changed: [], unknown: [] }),
        listClients: recorded('listClients', { clients: [], nextCursor: undefined, total: 0n }),
      },
      clientRegistry,
    ),
    events: {
      listEventBackends: recorded('listEventBackends', { backends: [] }),
      listWebhookDeliveries: recorded('listWebhookDeliveries', { deliveries: [], nextCursor: undefined }),
      getWebhookDelivery: recorded('getWebhookDelivery', { delivery: undefined, body: '' }),
      retryWebhookDelivery: recorded('retryWebhookDelivery', {}),
      testWebhook: recorded('testWebhook', { eventId: '' }),
    },
    mails: changed<Services['mails']>(
      { getMailOptions: recorded('getMailOptions', { mails: false, signUp: false }) },
      mails,
    ),
    organizationService: changed<Services['organizationService']>(
      noOrganizations(recorded),
      organizationService,
    ),
    connectionService: changed<Services['connectionService']>(noConnections(recorded), connectionService),
    identity: changed<Services['identity']>(
      {
        ...noUsers(recorded),
        close: () => undefined,
      },
      identity,
    ),
    emit: (type, content) => void calls.push({ name: 'emit', request: { type, ...content } }),
    system: {
      last: () => ({ services: {}, database: true }),
      look: async () => ({ services: {}, database: true }),
    },
    auditLogs: [],
    rateLimits: async () => undefined,
    replicas: async () => [],
    encrypting: {
      token: { reencrypt: recorded('reencryptKeys', nothingEncrypted) },
      identity: { reencrypt: recorded('reencryptSeeds', nothingEncrypted) },
    },
    collectMetrics: () => registry.metrics(),
    issuer,
    scopesSupported: ['read', 'write'],
    registration: { mode: 'open', token: undefined, full: false },
    openid: false,
    organizations: false,
    formPost: false,
    grantTypes: ['authorization_code', 'client_credentials'],
    authenticationMethods: ['client_secret_basic', 'client_secret_post'],
    pushedRequestMode: 'off',
    clientMetadataDocuments: false,
    idTokenAlgorithms: [],
    keySet: undefined,
    resourceIndicators: false,
    sessionKey,
    brand: brandOf({}),
    documentation: undefined,
    accountDeletion: true,
    places: () => undefined,
    trustProxy: false,
    corsOrigins: [],
    version: '1.2.3',
    stopping: new AbortController().signal,
    log,
    registry,
    ...changes,
  })

  /** Sends a request as a client; a text body is a form, any other body JSON. */
  async function send(
    method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS',
    url: string,
    body?: unknown,
    headers: Record<string, string> = {},
    remoteAddress = '127.0.0.1',
  ) {
    const type = typeof body === 'string' ? 'application/x-www-form-urlencoded' : 'application/json'
    const response = await app.inject({
      method,
      url,
      remoteAddress,
      headers: { ...(body === undefined ? {} : { 'content-type': type }), ...headers },
      ...(body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    return { status: response.statusCode, headers: response.headers, text: response.body }
  }

  /** The requests of one kind of call, in order. */
  const asked = (name: string) => calls.filter((call) => call.name === name).map(({ request }) => request)

  return { app, mutualTls, send, calls, asked, lines, routes: routesOf(app) }
}

/** The error code of an answer; checks that the answer has the form of every error. */
export function errorOf(answer: { headers: Record<string, unknown>; text: string }): string {
  if (answer.headers['content-type'] !== 'application/json; charset=utf-8')
    throw new Error('this is not a JSON error')
  const { error, error_description: description, ...rest } = JSON.parse(answer.text)
  if (typeof error !== 'string' || typeof description !== 'string' || Object.keys(rest).length > 0) {
    throw new Error(`this is not an error: ${answer.text}`)
  }
  return error
}
