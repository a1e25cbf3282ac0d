import type { Socket } from 'node:net'
import { notStored } from '@gatehouse/http/app'

/**
 * Answers a request that Node cannot parse, that came too slowly or whose headers are too large, and closes the connection.
 * @param everywhere headers that every answer has
 * @param note called with the status and the reason of each
 */
export function answerBrokenRequest(
  error: NodeJS.ErrnoException,
  socket: Socket,
  everywhere: Record<string, string>,
  note: (status: number, reason: string) => void,
): void {
  const timedOut = error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
  // Browsers open connections in advance: nobody waits for an answer on one that nothing came on.
  const unused = timedOut && socket.bytesRead === 0
  const gone = error.code === 'ECONNRESET' || error.code?.startsWith('ERR_SSL_')
  if (gone || unused || !socket.writable) return void socket.destroy()
  const tooLarge = error.code === 'HPE_HEADER_OVERFLOW'
  const [status, description] = tooLarge
    ? ['431 Request Header Fields Too Large', 'The headers are larger than 16 KiB.']
    : timedOut
      ? ['408 Request Timeout', 'The request was not complete in time.']
      : ['400 Bad Request', 'This is not an HTTP request.']
  note(Number.parseInt(status, 10), description)
  const body = JSON.stringify({ error: 'invalid_request', error_description: description })
  const lines = Object.entries({
    ...everywhere,
    ...notStored,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  socket.write(`HTTP/1.1 ${status}\r\n${head}\r\n${body}`)
  // Not end(), which would wait for the sender.
  socket.destroy(error)
}
