import { lookup } from 'node:dns'
import http, { type ClientRequest, type IncomingMessage } from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'

/** Posts to one URL over kept-alive connections. */
export type Poster = {
  /**
   * Posts once. It does not follow redirects and discards the body of the answer.
   * @throws Error, whose message does not contain the URL, when no answer came
   */
  post(body: Buffer, headers: Record<string, string>, signal: AbortSignal): Promise<Answer>
  /** Aborts all posts under way. */
  close(): void
}

/** What the receiver answered. */
export type Answer = {
  status: number
  /** The Retry-After header (RFC 9110 section 10.2.3). */
  retryAfter: string | undefined
}

/** What createPoster needs. */
export type PosterDeps = {
  url: URL
  /** Whether an address may be connected to. */
  isAllowed(address: string): boolean
  /** How long a post may take, in milliseconds. */
  timeoutMs: number
  /** The most connections that may be open. */
  connections: number
  /** Resolves a host name; by default node:dns. */
  resolve?: typeof lookup
}

/** How much of an answer's body is read and discarded to keep the connection alive, in bytes and in milliseconds. */
const mostDiscarded = 16_384
const longestDiscarding = 1_000

/** Creates the poster of one URL. */
export function createPoster({
  url,
  isAllowed,
  timeoutMs,
  connections,
  resolve = lookup,
}: PosterDeps): Poster {
  const transport = url.protocol === 'https:' ? https : http
  // Every new connection resolves the name again, so a changed name cannot lead to an address that is not allowed. An
  // address in the URL itself is never looked up: see `isAllowedLiteral`.
  const agent = new transport.Agent({
    keepAlive: true,
    maxSockets: connections,
    lookup: guardedLookup(resolve, isAllowed),
  })
  let closed = false

  const once = (body: Buffer, headers: Record<string, string>, signal: AbortSignal) =>
    new Promise<Answer | 'stale connection'>((answer, fail) => {
      const request: ClientRequest = transport.request(url, {
        method: 'POST',
        agent,
        headers: { ...headers, 'content-length': body.length },
        signal,
      })
      request.on('response', (response) => {
        const { statusCode: status = 0, headers } = response
        // The status is the answer, whether or not the body arrives.
        discard(response, () => answer({ status, retryAfter: headers['retry-after'] }))
      })
      request.on('error', (error: NodeJS.ErrnoException) => {
        // The receiver closed a kept-alive connection just as it was used again.
        if (request.reusedSocket && error.code === 'ECONNRESET' && !closed) answer('stale connection')
        else fail(error)
      })
      request.end(body)
    })

  return {
    async post(body, headers, outer) {
      if (!isAllowedLiteral(url, isAllowed)) throw new Error(notAllowed)
      const timeout = AbortSignal.timeout(timeoutMs)
      const signal = AbortSignal.any([outer, timeout])
      try {
        for (;;) {
          const answer = await once(body, headers, signal)
          // This ends: each kept-alive connection can be stale once, and a new one never is.
          if (answer !== 'stale connection') return answer
        }
      } catch (error) {
        if (timeout.aborted) throw new Error(`the receiver did not answer within ${timeoutMs / 1_000} s`)
        const { code, message } = error as NodeJS.ErrnoException
        if (code === notAllowedCode) throw new Error(notAllowed)
        // Node's message may contain the host; the code says enough.
        throw new Error(
          `the receiver cannot be reached: ${code ?? (message === 'ECONNRESET' ? message : 'no code')}`,
        )
      }
    },

    close() {
      closed = true
      agent.destroy()
    },
  }
}

const notAllowed = 'the receiver has a private or otherwise special address, which is not allowed'
const notAllowedCode = 'ADDRESS_NOT_ALLOWED'

/** Whether the host of a URL is a name or an allowed address. */
export function isAllowedLiteral(url: URL, isAllowed: (address: string) => boolean): boolean {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  return isIP(host) === 0 || isAllowed(host)
}

/** Resolves a name to its allowed addresses. */
function guardedLookup(resolve: typeof lookup, isAllowed: PosterDeps['isAllowed']): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, [])
      const allowed = found.filter(({ address }) => isAllowed(address))
      const [first] = allowed
      if (!first) return callback(Object.assign(new Error(notAllowed), { code: notAllowedCode }), [])
      if (options.all) callback(null, allowed)
      else callback(null, first.address, first.family)
    })
  }
}

/** Discards a body so that its connection can be used again. If the body is long or slow, the connection is closed. */
function discard(response: IncomingMessage, whenDone: () => void): void {
  const end = setTimeout(() => response.destroy(), longestDiscarding)
  let bytes = 0
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > mostDiscarded) response.destroy()
  })
  response.on('error', () => undefined)
  response.on('close', () => {
    clearTimeout(end)
    whenDone()
  })
}
