import { lookup } from 'node:dns'
import http, { type ClientRequest, type IncomingMessage } from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'

/** Posts to one URL, again and again, over connections that are kept. */
export type Poster = {
  /**
   * Posts once. Redirects are not followed; the answer's body is thrown away.
   * @throws Error, which says nothing of the URL, when no answer came
   */
  post(body: Buffer, headers: Record<string, string>, signal: AbortSignal): Promise<Answer>
  /** Ends what is under way. */
  close(): void
}

/** What the receiver answered. */
export type Answer = {
  status: number
  /** The header Retry-After (RFC 9110 section 10.2.3). */
  retryAfter: string | undefined
}

/** What posting needs. */
export type PosterDeps = {
  url: URL
  /** Whether to connect to an address. */
  isAllowed(address: string): boolean
  /** How long a post may take, in milliseconds. */
  timeoutMs: number
  /** How many connections there may be. */
  connections: number
  /** Finds a name's addresses; node:dns where nothing else is said. */
  resolve?: typeof lookup
}

/** How much of an answer's body is let pass, so that the connection can be kept, in bytes and in milliseconds. */
const mostDiscarded = 16_384
const longestDiscarding = 1_000

/** Makes the poster of one URL. */
export function createPoster({
  url,
  isAllowed,
  timeoutMs,
  connections,
  resolve = lookup,
}: PosterDeps): Poster {
  const transport = url.protocol === 'https:' ? https : http
  // Every new connection asks here where the name points to now; only for an address written into the URL nothing is
  // looked up: see `isAllowedLiteral`.
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
        // Whatever becomes of the body, this was the answer.
        discard(response, () => answer({ status, retryAfter: headers['retry-after'] }))
      })
      request.on('error', (error: NodeJS.ErrnoException) => {
        // The receiver closed a kept connection at the moment when it was used again.
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
          // Each kept connection can be stale once; a new one never is.
          if (answer !== 'stale connection') return answer
        }
      } catch (error) {
        if (timeout.aborted) throw new Error(`the receiver did not answer within ${timeoutMs / 1_000} s`)
        const { code, message } = error as NodeJS.ErrnoException
        if (code === notAllowedCode) throw new Error(notAllowed)
        // Node's own words may hold the host; its code says enough.
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

/** Whether the URL has a name, or else an address that may be connected to. */
export function isAllowedLiteral(url: URL, isAllowed: (address: string) => boolean): boolean {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  return isIP(host) === 0 || isAllowed(host)
}

/** Finds a name's addresses, of which those that are not allowed are left out. */
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

/** Lets a body pass unread, so that its connection can be used again; one that is long or slow costs the connection. */
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
