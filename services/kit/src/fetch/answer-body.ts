import type { IncomingMessage } from 'node:http'

/** How much of an unwanted body is read to keep its connection alive, in bytes and in milliseconds. */
const mostDiscarded = 16_384
const longestDiscarding = 1_000

/** Discards a body so that its connection can be used again. If the body is long or slow, the connection is closed. */
export function discard(response: IncomingMessage, whenDone: () => void): void {
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

/** Which body is wanted. */
export type WantedBody = {
  /** The most bytes that are read; by default 5 KiB. */
  maxBytes?: number
  /** Whether a body of this media type is taken. The type is in lower case and has no parameters (RFC 9110 section 8.3.1). */
  takesType(mediaType: string): boolean
}

const defaultMaxBytes = 5 * 1_024

/** Why a body is not taken. Its message does not contain the body. */
export class UnwantedBody extends Error {
  /** Whether the server says that it cannot answer now: 429 (RFC 6585 section 4) or 5xx. */
  readonly unavailable: boolean

  constructor(message: string, unavailable = false) {
    super(message)
    this.unavailable = unavailable
  }
}

/**
 * Reads the body of an answer with the status 200.
 * @throws UnwantedBody for another status, media type or a body that is too large or compressed; the errors of the connection
 */
export async function readBody(response: IncomingMessage, wanted: WantedBody): Promise<Buffer> {
  const { maxBytes = defaultMaxBytes } = wanted
  try {
    checkHead(response, wanted)
    return await readUpTo(response, maxBytes)
  } finally {
    response.destroy()
  }
}

/**
 * Reads the body of an answer whatever its status and media type are.
 * @throws UnwantedBody for one that is too large or compressed; the errors of the connection
 */
export async function readAnyBody(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  try {
    checkEncoding(response)
    return await readUpTo(response, maxBytes)
  } catch (error) {
    response.destroy()
    throw error
  }
}

async function readUpTo(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new UnwantedBody(`its answer has more than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** @throws UnwantedBody */
function checkHead(response: IncomingMessage, { takesType }: WantedBody): void {
  const { statusCode: status = 0, headers } = response
  if (status >= 300 && status < 400)
    throw new UnwantedBody(`it answered ${status}; redirects are not followed`)
  const unavailable = status >= 500 || status === 429
  if (status !== 200) throw new UnwantedBody(`it answered ${status} instead of 200`, unavailable)
  const [mediaType = ''] = (headers['content-type'] ?? '').split(';')
  if (!takesType(mediaType.trim().toLowerCase()))
    throw new UnwantedBody('its answer has the wrong Content-Type')
  checkEncoding(response)
}

/** @throws UnwantedBody */
function checkEncoding({ headers }: IncomingMessage): void {
  if ((headers['content-encoding'] ?? 'identity') !== 'identity')
    throw new UnwantedBody('its answer has a Content-Encoding')
}
