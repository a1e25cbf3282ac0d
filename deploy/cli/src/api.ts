import type { Credentials } from './credentials.ts'
import { CommandFailure, exitCodes } from './failure.ts'

/** The administrators' API of a running system. */
export type AdminApi = {
  /**
   * Calls it.
   * @param path below /admin/api, encoded
   * @param body sent as JSON
   * @returns the answer's JSON; undefined where it has none
   * @throws CommandFailure with what the server says
   */
  call<Result>(method: string, path: string, body?: object): Promise<Result>
  /** Ends the session, where one was begun. */
  close(): Promise<void>
}

/** In milliseconds. */
const timeout = 15_000

/**
 * Lets itself in.
 * @param baseUrl where the system is
 * @throws CommandFailure when the credentials are wrong, or nobody answers
 */
export async function openAdminApi(baseUrl: string, credentials: Credentials): Promise<AdminApi> {
  const { headers, close } = await letIn(baseUrl, credentials)
  return {
    async call<Result>(method: string, path: string, body?: object) {
      const response = await send(`${baseUrl}/admin/api/${path}`, {
        method,
        headers: {
          ...headers,
          accept: 'application/json',
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
      })
      if (!response.ok) throw await failureOf(response)
      const text = await response.text()
      return (text === '' ? undefined : JSON.parse(text)) as Result
    },
    close,
  }
}

type Entrance = { headers: Record<string, string>; close(): Promise<void> }

async function letIn(baseUrl: string, credentials: Credentials): Promise<Entrance> {
  const nothing = async () => undefined
  if (credentials.kind === 'token') {
    return { headers: { authorization: `Bearer ${credentials.token}` }, close: nothing }
  }
  if (credentials.kind === 'user') return logIn(baseUrl, credentials)
  // RFC 6749 section 2.3.1: both parts are form-encoded before they are joined.
  const pair = [credentials.clientId, credentials.clientSecret].map((part) =>
    encodeURIComponent(part).replaceAll('%20', '+'),
  )
  const response = await send(`${baseUrl}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(pair.join(':'))}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'admin' }),
  })
  if (!response.ok) throw await failureOf(response)
  const { access_token: token } = (await response.json()) as { access_token: string }
  return { headers: { authorization: `Bearer ${token}` }, close: nothing }
}

async function logIn(
  baseUrl: string,
  { username, password }: { username: string; password: string },
): Promise<Entrance> {
  const response = await send(`${baseUrl}/auth/login`, {
    method: 'POST',
    headers: { accept: 'application/json', 'user-agent': 'gatehouse command line' },
    body: new URLSearchParams({ username, password }),
    redirect: 'manual',
  })
  if (response.status !== 303) throw await failureOf(response)
  const cookie = response.headers
    .getSetCookie()
    .map((line) => line.split(';', 1)[0] ?? '')
    .find((pair) => pair.startsWith('gatehouse_session='))
  if (cookie === undefined) {
    throw new CommandFailure(`${baseUrl} is no Gatehouse: it gave no session.`, exitCodes.unavailable)
  }
  return {
    headers: { cookie },
    async close() {
      await send(`${baseUrl}/auth/logout`, { method: 'POST', headers: { cookie }, redirect: 'manual' })
    },
  }
}

async function send(url: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...request, signal: AbortSignal.timeout(timeout) })
  } catch (error) {
    const { cause, message } = error as Error & { cause?: { code?: unknown } }
    const reason = typeof cause?.code === 'string' ? cause.code : message
    throw new CommandFailure(
      `${new URL(url).origin} does not answer (${reason}). Is it running? --url or GATEHOUSE_URL says where it is.`,
      exitCodes.unavailable,
    )
  }
}

const exitCodeOf: Partial<Record<number, number>> = {
  401: exitCodes.notLetIn,
  403: exitCodes.notLetIn,
  404: exitCodes.notFound,
  429: exitCodes.unavailable,
  503: exitCodes.unavailable,
}

async function failureOf(response: Response): Promise<CommandFailure> {
  const body = (await response.json().catch(() => ({}))) as { error?: string; error_description?: string }
  const message = body.error_description ?? body.error ?? `The server answered ${response.status}.`
  return new CommandFailure(message, exitCodeOf[response.status])
}
