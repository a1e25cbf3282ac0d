import { connect } from 'node:net'
import type { Answer } from './oauth.ts'

/** A server's answers on a connection, in order, and whether it closed the connection itself. */
export type Conversation = { answers: RawAnswer[]; closed: boolean }

type RawAnswer = Answer & { headers: Headers }

/**
 * Sends bytes unchanged to a server and reads its answers, for requests that no HTTP client would send.
 * @param baseUrl the server's address
 * @param bytes the bytes to send
 * @param options.answers the number of answers to wait for; by default 1
 * @param options.end whether to close our half of the connection after the bytes
 * @param options.withinMs the longest wait, in milliseconds; by default 3,000
 */
export function converse(
  baseUrl: string,
  bytes: string | Uint8Array,
  options: { answers?: number; end?: boolean; withinMs?: number } = {},
): Promise<Conversation> {
  const { answers: wanted = 1, end = false, withinMs = 3_000 } = options
  const { port } = new URL(baseUrl)
  return new Promise((resolve) => {
    let received = Buffer.alloc(0)
    const socket = connect({ host: '127.0.0.1', port: Number(port), allowHalfOpen: true })
    const finish = (closed: boolean) => {
      clearTimeout(timer)
      socket.destroy()
      resolve({ answers: parseAnswers(received), closed })
    }
    const timer = setTimeout(finish, withinMs, false)
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk])
      if (parseAnswers(received).length >= wanted) finish(false)
    })
    socket.on('end', () => finish(true))
    // The server may close while we are still sending; its answers before that count.
    socket.on('error', () => finish(true))
    socket.write(bytes)
    if (end) socket.end()
  })
}

/** A request as text. Its Content-Length is the length of the body, unless the headers have one. */
export function rawRequest(
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body = '',
): string {
  const all: Record<string, string> = {
    host: 'localhost',
    'content-length': String(Buffer.byteLength(body)),
    ...headers,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`
}

function parseAnswers(bytes: Buffer): RawAnswer[] {
  const answers: RawAnswer[] = []
  for (let rest = bytes; ; ) {
    const end = rest.indexOf('\r\n\r\n')
    if (end === -1) return answers
    const [statusLine = '', ...lines] = rest.toString('latin1', 0, end).split('\r\n')
    const headers = new Headers(
      lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
    )
    const length = Number(headers.get('content-length') ?? 0)
    const body = rest.subarray(end + 4, end + 4 + length)
    if (body.length < length) return answers
    answers.push({ status: Number(statusLine.split(' ')[1]), headers, text: async () => body.toString() })
    rest = rest.subarray(end + 4 + length)
  }
}
