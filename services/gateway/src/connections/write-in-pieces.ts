import type { TLSSocket } from 'node:tls'

/** How many bytes are encrypted at once. */
const piece = 64 * 1024

/** Node's name for the encoding of a chunk that is a Buffer, which its types do not know. */
const ofBuffers = 'buffer' as BufferEncoding

/** A function that a stream of Node writes by, and its counterpart for several chunks. */
type Written = (error?: Error | null) => void
type Chunk = { chunk: Buffer | string; encoding: BufferEncoding }

/**
 * Makes an encrypted connection take large answers in pieces, the next one when the one before is on its way. Node would encrypt all of
 * an answer at once, so that each peer that does not read would hold a copy of a document that all of them share.
 */
export function writeInPieces(socket: TLSSocket): void {
  const write = socket._write.bind(socket)
  const writeAll = socket._writev?.bind(socket)

  function writeOne(chunk: Buffer | string, encoding: BufferEncoding, done: Written): void {
    if (chunk.length <= piece) return void write(chunk, encoding, done)
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk
    let begin = 0
    const next: Written = (error) => {
      if (error || begin >= bytes.length) return done(error)
      const part = bytes.subarray(begin, begin + piece)
      begin += piece
      write(part, ofBuffers, next)
    }
    next()
  }

  socket._write = writeOne
  socket._writev = (chunks: Chunk[], done) => {
    const length = chunks.reduce((sum, { chunk }) => sum + chunk.length, 0)
    if (length <= piece && writeAll) return void writeAll(chunks, done)
    const rest = chunks.values()
    const next: Written = (error) => {
      const { value } = error ? {} : rest.next()
      if (value === undefined) return done(error)
      writeOne(value.chunk, value.encoding, next)
    }
    next()
  }
}
