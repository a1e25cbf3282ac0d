import { type Agent, request } from 'node:http'
import { request as requestByTls } from 'node:https'
import { addressOf, until } from './cluster.ts'
import { expectThat } from './findings.ts'

/** One request for a token, and how it ended. */
export type Attempt = {
  /** When it began, in milliseconds since the Unix epoch. */
  at: number
  took: number
  /** 0 if there was no answer. */
  status: number
  error: string
  retryAfter: string | undefined
  token: string
}

/** A client that asks for tokens. */
export type Client = { id: string; secret: string }

/** An answer of the gateway. */
export type Answer = { status: number; headers: Record<string, unknown>; text: string }

/** A way to the gateway: an address, and for https the name that is asked for there and the authority that vouches for it. */
export type Way = { host: string; port: number; tls?: { servername: string; ca: string } }

const form = 'application/x-www-form-urlencoded'

/**
 * Sends one request to the gateway.
 * @param options.agent keeps connections; without it each request has its own, as new callers have
 * @param options.way another way than the Service
 */
export function send(
  path: string,
  options: {
    way?: Way
    auth?: string
    type?: string
    body?: string
    agent?: Agent
    headers?: object
    method?: string
  } = {},
): Promise<Answer> {
  const { way = service, auth, type = form, body, agent, headers, method } = options
  const { tls, ...address } = way
  return new Promise((resolve, reject) => {
    const sent = (tls ? requestByTls : request)(
      {
        ...address,
        ...tls,
        path,
        agent: agent ?? false,
        timeout: 15_000,
        ...(auth && { auth }),
        method: method ?? (body === undefined ? 'GET' : 'POST'),
        headers: { 'content-type': type, ...(tls && { host: tls.servername }), ...headers },
      },
      async (response) => {
        let text = ''
        try {
          for await (const chunk of response.setEncoding('utf8')) text += chunk
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text })
        } catch (error) {
          reject(error)
        }
      },
    )
    sent.on('timeout', () => sent.destroy(new Error('no answer in 15 s'))).on('error', reject)
    sent.end(body)
  })
}

let service: Way = { host: '', port: 80 }

/** Finds the gateway's Service; before that nothing can be sent. */
export async function findGateway(): Promise<void> {
  service = { host: await addressOf('gatehouse-gateway'), port: 80 }
}

/** Registers a client as the notes of the chart say, with further headers. */
export async function register(headers: object = {}): Promise<Client> {
  const body = JSON.stringify({ client_name: 'Steps', grant_types: ['client_credentials'], scope: 'read' })
  const { status, text } = await send('/clients/register', { type: 'application/json', body, headers })
  expectThat(status === 201, `registration: ${status} ${text}`)
  const { client_id, client_secret } = JSON.parse(text)
  return { id: client_id, secret: client_secret }
}

/** Asks for one token, by default through the Service on a connection of its own. */
export async function askForToken(
  { id, secret }: Client,
  options: { agent?: Agent; way?: Way } = {},
): Promise<Attempt> {
  const at = Date.now()
  const began = performance.now()
  const attempt = {
    at,
    took: 0,
    status: 0,
    error: '',
    retryAfter: undefined as string | undefined,
    token: '',
  }
  try {
    const body = 'grant_type=client_credentials&scope=read'
    const { status, headers, text } = await send('/oauth/token', {
      auth: `${id}:${secret}`,
      body,
      ...options,
    })
    attempt.status = status
    attempt.retryAfter = headers['retry-after'] as string | undefined
    if (status === 200) attempt.token = JSON.parse(text).access_token
    else attempt.error = text.slice(0, 300)
  } catch (error) {
    attempt.error = String((error as { code?: string }).code ?? error)
  }
  attempt.took = performance.now() - began
  return attempt
}

/** Whether a token is active, as its client sees it. */
export async function isActive(client: Client, token: string): Promise<boolean> {
  const body = `token=${token}`
  const { status, text } = await send('/oauth/introspect', { auth: `${client.id}:${client.secret}`, body })
  expectThat(status === 200, `introspection: ${status} ${text}`)
  return JSON.parse(text).active
}

let client: Client | undefined

/** The client of all steps, which is registered by the first one that needs it. */
export async function theClient(): Promise<Client> {
  await findGateway()
  if (client === undefined || (await askForToken(client)).status === 401) {
    await until(
      'a client is registered',
      async () => {
        client = await register()
        return true
      },
      60_000,
    )
  }
  return client as Client
}
