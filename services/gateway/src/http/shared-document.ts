import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** A document that many callers get. All of their answers share its bytes. */
export type SharedDocument = {
  content: Buffer
  type: string
  /** A strong validator of the content (RFC 9110 section 8.8.3). */
  etag: string
}

/** Makes a document. @param type its media type */
export function sharedDocument(content: string | Buffer, type: string): SharedDocument {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  return { content: bytes, type, etag: `"${hash('sha256', bytes, 'base64url')}"` }
}

/** Sends a document, or 304 to a caller who has it already. */
export function sendShared(
  request: FastifyRequest,
  reply: FastifyReply,
  document: SharedDocument,
): FastifyReply {
  const { content, type, etag } = document
  reply.header('etag', etag)
  if (names(request.headers['if-none-match'], etag)) return reply.code(304).send()
  return reply.type(type).send(content)
}

/** Whether a header If-None-Match names the ETag (RFC 9110 section 13.1.2). */
function names(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header.trim() === '*' || header.split(',').some((one) => one.trim().replace(/^W\//, '') === etag)
}

/** Makes something when it is first needed, and then gives the same. */
export function once<Made>(make: () => Made): () => Made {
  let made: { value: Made } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
