import type { Agent, ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http'
import https from 'node:https'
import { createNameResolver, type ResolveName } from '../names/name-resolver.ts'
import { http } from '../node-http.ts'
import { version } from '../release.ts'
import { type AddressRule, urlFault } from './address-rule.ts'
import { discard, readAnyBody, readBody, UnwantedBody, type WantedBody } from './answer-body.ts'
import { createGuardedAgent, notAllowedCode } from './guarded-agent.ts'

/**
 * Sends requests to URLs that somebody else chose, only to addresses that a rule allows, and never follows redirects. The
 * errors are for operators: one line, without the URL and without anything that the server sent.
 */
export type Fetcher = {
  /**
   * Reads a document. Its status must be 200.
   * @throws ServerUnavailable where no answer came, or 429 or 5xx; another Error that says what was refused
   */
  get(url: URL, wanted: WantedBody): Promise<Document>
  /**
   * Posts once and discards the body of the answer.
   * @throws Error that says what was refused or why no answer came
   */
  post(url: URL, message: PostedMessage): Promise<Answer>
  /**
   * As the fetch of browsers, for libraries that need one. A redirect is an answer as any other.
   * @returns the answer with its body, which has 128 KiB at most
   * @throws as `get`, but not for the status
   */
  fetch(url: string | URL, init?: RequestInit): Promise<Response>
  /** Aborts all requests under way. */
  close(): void
}

/** A server that cannot be reached, does not answer in time, or says that it cannot answer now. */
export class ServerUnavailable extends Error {}

/** A document as the server sent it. */
export type Document = { headers: IncomingHttpHeaders; body: Buffer }

/** A message to post. */
export type PostedMessage = {
  body: Buffer
  headers: Record<string, string>
  /** Aborted when the caller no longer waits. */
  signal?: AbortSignal
}

/** The server's answer to a post. */
export type Answer = {
  status: number
  /** The Retry-After header (RFC 9110 section 10.2.3). */
  retryAfter: string | undefined
}

/** The needs of createFetcher. */
export type FetcherDeps = {
  /** Which addresses may be connected to. */
  rule: AddressRule
  /** How long a request may take from the look-up of the name to the end of the answer, in milliseconds; by default 5 s. */
  timeoutMs?: number
  /** The most connections to one host, which are kept open for later requests; by default each request has its own. */
  connections?: number
  /** Resolves a host name; by default a resolver that holds no thread: see `createNameResolver`. */
  resolve?: ResolveName
}

type Sending = { method: string; body?: Buffer; headers: Record<string, string>; signal: AbortSignal }

/** Creates a fetcher. */
export function createFetcher(deps: FetcherDeps): Fetcher {
  const { rule, timeoutMs = 5_000, connections, resolve = createNameResolver() } = deps
  const agents = {
    'https:': createGuardedAgent({ protocol: 'https:', rule, connections, resolve }),
    'http:': createGuardedAgent({ protocol: 'http:', rule, connections, resolve }),
  }
  const closing = new AbortController()

  async function send<Result>(
    url: URL,
    sending: Sending,
    read: (response: IncomingMessage) => Promise<Result>,
  ) {
    const fault = urlFault(url, rule)
    if (fault !== undefined) throw new Error(faults[fault])
    const timeout = AbortSignal.timeout(timeoutMs)
    const signal = AbortSignal.any([sending.signal, closing.signal, timeout])
    const protocol = url.protocol === 'http:' ? 'http:' : 'https:'
    try {
      for (;;) {
        const response = await request(url, { ...sending, signal }, agents[protocol])
        // This ends: each kept-alive connection can be stale once, and a new one never is.
        if (response !== 'stale connection') return await read(response)
      }
    } catch (error) {
      if (timeout.aborted)
        throw new ServerUnavailable(`the server did not answer within ${timeoutMs / 1_000} s`)
      throw explained(error as NodeJS.ErrnoException)
    }
  }

  return {
    get(url, wanted) {
      const headers = { accept: 'application/json, */*;q=0.1', 'accept-encoding': 'identity', ...userAgent }
      const sending: Sending = { method: 'GET', headers, signal: closing.signal }
      return send(url, sending, async (response) => ({
        headers: response.headers,
        body: await readBody(response, wanted),
      }))
    },

    post(url, { body, headers, signal = closing.signal }) {
      const sending: Sending = { method: 'POST', body, headers: { ...userAgent, ...headers }, signal }
      return send(url, sending, answerTo)
    },

    async fetch(url, init = {}) {
      // Reads the body and the headers, in any of the forms in which callers may give them.
      const asked = new Request(url, { ...init, redirect: 'manual', signal: null })
      const headers = { ...userAgent, ...Object.fromEntries(asked.headers), 'accept-encoding': 'identity' }
      const body = asked.body === null ? {} : { body: Buffer.from(await asked.arrayBuffer()) }
      const sending = { method: asked.method, ...body, headers, signal: init.signal ?? closing.signal }
      return send(new URL(url), sending, responseOf)
    },

    close() {
      closing.abort()
      for (const agent of Object.values(agents)) agent.destroy()
    },
  }
}

const userAgent = { 'user-agent': `Gatehouse/${version}` }

const faults = {
  'not https': 'the URL is not an https:// URL',
  'not public': 'the server has a private or otherwise special address, which is not allowed',
}

function request(url: URL, { body, ...options }: Sending, agent: Agent) {
  return new Promise<IncomingMessage | 'stale connection'>((answer, fail) => {
    const headers = { ...options.headers, ...(body && { 'content-length': body.length }) }
    const transport = url.protocol === 'https:' ? https : http
    const sent: ClientRequest = transport.request(url, { ...options, headers, agent })
    sent.on('response', answer)
    sent.on('error', (error: NodeJS.ErrnoException) => {
      // The server closed a kept-alive connection just as it was used again.
      const stale = sent.reusedSocket && error.code === 'ECONNRESET' && !options.signal.aborted
      if (stale) answer('stale connection')
      else fail(error)
    })
    sent.end(body)
  })
}

/** The status is the answer, whether or not the body arrives. */
function answerTo(response: IncomingMessage): Promise<Answer> {
  const { statusCode: status = 0, headers } = response
  return new Promise((answer) => {
    discard(response, () => answer({ status, retryAfter: headers['retry-after'] }))
  })
}

/** In bytes: nobody else's server decides how much memory this one uses. */
const longestAnswer = 131_072

/** The Response constructor refuses a body for these statuses (Fetch standard). */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304])

async function responseOf(message: IncomingMessage): Promise<Response> {
  const { statusCode: status = 0, headersDistinct } = message
  const body = await readAnyBody(message, longestAnswer)
  const headers = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  )
  return new Response(bodiless.has(status) ? null : new Uint8Array(body), { status, headers })
}

function explained(error: NodeJS.ErrnoException): Error {
  const { code, message } = error
  if (code === notAllowedCode) return new Error(faults['not public'])
  if (error instanceof UnwantedBody) {
    const Kind = error.unavailable ? ServerUnavailable : Error
    return new Kind(`the server’s document was not taken: ${message}`)
  }
  // Node's message may contain the host; the code says enough.
  return new ServerUnavailable(
    `the server cannot be reached: ${code ?? (message === 'ECONNRESET' ? message : 'no code')}`,
  )
}
