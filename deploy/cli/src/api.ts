import type { paths } from '@gatehouse/admin-api/generated/openapi'
import createClient, { type Client, type HeadersOptions } from 'openapi-fetch'
import type { Credentials } from './credentials.ts'
import { CommandFailure, exitCodes } from './failure.ts'

/** The API of a running system, as docs/reference/openapi.json describes it. `dataOf` reads its answers. */
export type Api = Client<paths>

type Authentication = { headers: HeadersOptions; close(): Promise<void> }

/** The audit log and the list of sessions show it. */
const userAgent = { 'user-agent': 'gatehouse command line' }

/** In milliseconds. */
const timeout = 15_000

/**
 * Authenticates and opens the API.
 * @param baseUrl the system's address
 * @returns the API, and a function that ends the session if one was begun
 * @throws CommandFailure when the credentials are invalid, or the system does not answer
 */
export async function openApi(
  baseUrl: string,
  credentials: Credentials,
): Promise<{ api: Api; close(): Promise<void> }> {
  const { headers, close } = await authenticate(baseUrl, credentials)
  return { api: apiAt(baseUrl, headers), close }
}

/**
 * Reads an answer of the API.
 * @returns the JSON of the answer; undefined when it has no body
 * @throws CommandFailure with the server's message when it refuses, or when the answer is not JSON
 */
export async function dataOf<Data>(
  answer: Promise<{ data?: Data; error?: unknown; response: Response }>,
): Promise<Data> {
  const { data, error, response } = await answer.catch((cause: unknown) => {
    if (!(cause instanceof SyntaxError)) throw cause
    const message = 'The server that answered is not Gatehouse. Set its address with --url or GATEHOUSE_URL.'
    throw new CommandFailure(message, exitCodes.unavailable)
  })
  if (!response.ok) throw failureOf(response, error)
  return data as Data
}

function apiAt(baseUrl: string, headers: HeadersOptions): Api {
  return createClient<paths>({ baseUrl, headers: { ...userAgent, ...headers }, fetch: send })
}

async function authenticate(baseUrl: string, credentials: Credentials): Promise<Authentication> {
  if (credentials.kind === 'user') return logIn(baseUrl, credentials)
  const token = credentials.kind === 'token' ? credentials.token : await issueToken(baseUrl, credentials)
  return { headers: { authorization: `Bearer ${token}` }, close: async () => undefined }
}

async function issueToken(
  baseUrl: string,
  { clientId, clientSecret }: { clientId: string; clientSecret: string },
): Promise<string> {
  // RFC 6749 section 2.3.1: both parts are form-encoded before they are joined.
  const pair = [clientId, clientSecret].map((part) => encodeURIComponent(part).replaceAll('%20', '+'))
  const api = apiAt(baseUrl, {
    authorization: `Basic ${btoa(pair.join(':'))}`,
    'content-type': 'application/x-www-form-urlencoded',
  })
  // All of the client's scope, because a client may administer a part only.
  const answer = api.POST('/oauth/token', { body: { grant_type: 'client_credentials' } })
  return (await dataOf(answer)).access_token
}

/** Logs in through the login page, which is for people and so not in the OpenAPI document. */
async function logIn(
  baseUrl: string,
  { username, password }: { username: string; password: string },
): Promise<Authentication> {
  const login = new Request(`${baseUrl}/auth/login`, {
    method: 'POST',
    headers: { accept: 'application/json', ...userAgent },
    body: new URLSearchParams({ username, password }),
    redirect: 'manual',
  })
  const response = await send(login)
  if (response.status !== 303) throw failureOf(response, await response.json().catch(() => undefined))
  const cookie = response.headers
    .getSetCookie()
    .map((line) => line.split(';', 1)[0] ?? '')
    .find((pair) => pair.startsWith('gatehouse_session='))
  if (cookie === undefined) {
    throw new CommandFailure(`${baseUrl} is not Gatehouse: it gave no session.`, exitCodes.unavailable)
  }
  return {
    headers: { cookie },
    async close() {
      const logout = { method: 'POST', headers: { cookie }, redirect: 'manual' } as const
      await send(new Request(`${baseUrl}/auth/logout`, logout))
    },
  }
}

async function send(request: Request): Promise<Response> {
  try {
    return await fetch(request, { signal: AbortSignal.timeout(timeout) })
  } catch (error) {
    const { cause, message } = error as Error & { cause?: { code?: unknown } }
    const reason = typeof cause?.code === 'string' ? cause.code : message
    throw new CommandFailure(
      `${new URL(request.url).origin} does not answer (${reason}). Is it running? Set its address with --url or GATEHOUSE_URL.`,
      exitCodes.unavailable,
    )
  }
}

const exitCodeOf: Partial<Record<number, number>> = {
  401: exitCodes.notAuthorized,
  403: exitCodes.notAuthorized,
  404: exitCodes.notFound,
  429: exitCodes.unavailable,
  // Those of proxies whose server is away.
  502: exitCodes.unavailable,
  504: exitCodes.unavailable,
  503: exitCodes.unavailable,
}

/** Turns an error of the API into the failure of the command, with the server's message. */
export function failureOf({ status }: Response, body: unknown): CommandFailure {
  const { error, error_description: description }: { error?: string; error_description?: string } =
    Object(body)
  return new CommandFailure(description ?? error ?? `The server answered ${status}.`, exitCodeOf[status])
}

/**
 * Reads a list of the API to its end.
 * @param page asks for the page at a cursor, the first one without
 */
export async function allPages<Item>(
  page: (cursor: string | undefined) => Promise<{ items: Item[]; next_cursor?: string }>,
): Promise<Item[]> {
  const all: Item[] = []
  let cursor: string | undefined
  do {
    const { items, next_cursor: next } = await page(cursor)
    all.push(...items)
    cursor = next
  } while (cursor)
  return all
}
