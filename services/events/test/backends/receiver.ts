import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A webhook as it came in. */
export type ReceivedPost = { headers: IncomingHttpHeaders; body: string; path: string }

/** Answers a request that the receiver has read. */
export type Answering = (response: ServerResponse, request: IncomingMessage) => void

/** A real HTTP server that webhooks are posted to. */
export type Receiver = {
  url: string
  port: number
  /** All webhooks in the order in which they came, whatever the answer was. */
  posts: ReceivedPost[]
  /** The number of connections so far. */
  connections(): number
  /** The answers to the next requests, one each. All later requests are answered 204. */
  next: Answering[]
  /** Answers the other requests, where a test sets it. */
  answer: ((...request: [...Parameters<Answering>, body: string]) => void) | undefined
  /** Closes all open connections. */
  hangUp(): void
  close(): Promise<void>
}

/** An answer with only a status and headers. */
export const status =
  (code: number, headers: Record<string, string> = {}): Answering =>
  (response) =>
    response.writeHead(code, headers).end()

/** Starts a receiver. */
export async function startReceiver(): Promise<Receiver> {
  const posts: ReceivedPost[] = []
  const next: Answering[] = []
  let connections = 0
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    posts.push({ headers: request.headers, body, path: request.url ?? '' })
    const answer = next.shift() ?? receiver.answer ?? status(204)
    answer(response, request, body)
  })
  server.on('connection', () => {
    connections += 1
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const receiver: Receiver = {
    answer: undefined,
    ...{ posts, next, port, connections: () => connections },
    url: `http://127.0.0.1:${port}/hook`,
    hangUp: () => server.closeAllConnections(),
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
  return receiver
}
