import type { IncomingMessage, OutgoingMessage } from 'node:http'
import { http } from '@gatehouse/kit/node-http'
import { createGathering } from './gathering.ts'
import { stopReading } from './stop-reading.ts'

/** Why a body is no longer read. */
export const bodyFaults = ['small_pieces', 'late', 'memory'] as const
/** One of the reasons. */
export type BodyFault = (typeof bodyFaults)[number]

/** A request whose body this server measures. */
export type MeasuredRequest = IncomingMessage & {
  /**
   * Lets the body be larger and slower than others, because its sender is known. Node's own time-out of a request remains.
   */
  trustSender(): void
}

/** The requests of a server whose bodies have not come whole yet, or wait for their turn behind other requests. */
export type UnfinishedBodies = {
  /** The class of the server's requests. */
  Request: typeof IncomingMessage
  /** Expects the body that a request announces, if it does. */
  expect(request: IncomingMessage, response: OutgoingMessage): void
  /** Notes that the turn of a request has come, so that its body waits for nothing but the rest of itself. */
  beginTurn(request: IncomingMessage): void
  /** Ends those that take too long. It must be called every second. */
  sweep(): void
}

/** The needs of measuring bodies. */
export type UnfinishedBodiesDeps = {
  /** A monotonic clock, in milliseconds. */
  now(): number
  /** Called for each body that is given up. */
  ended(fault: BodyFault): void
}

/** How long a body may take from the end of the head on, in milliseconds. */
export const longestBody = 10_000
/** How many pieces a body may have whatever their size, and how many bytes each further one must have on average. */
const freePieces = 1_000
const leastPiece = 64
/** How many bytes of unread body one request may hold before its connection is no longer read. */
const mostUnread = 64 * 1024
/** How many bytes the bodies of all strangers may have that are unfinished or wait for their turn. */
const mostHeld = 64 * 1024 * 1024

/**
 * Creates the class of a server's requests. Node keeps one Buffer for each piece of a body that nobody reads yet, which takes
 * hundreds of bytes for a piece of one byte; this class keeps one Buffer for all of them. A body in too many small pieces ends, as
 * does one that takes too long, and the oldest where all together are too large. Its reader hears of it by the event `unreadable`,
 * with the reason; where nobody reads, the connection is closed.
 */
export function createUnfinishedBodies({ now, ended }: UnfinishedBodiesDeps): UnfinishedBodies {
  /** In the order in which they began. */
  const unfinished = new Set<Measured>()
  let held = 0

  class Measured extends http.IncomingMessage implements MeasuredRequest {
    #since = 0
    #pieces = 0
    #bytes = 0
    #trusted = false
    #given = false
    #inTurn = false
    readonly #unread = createGathering()

    begin(): void {
      this.#since = now()
      unfinished.add(this)
      this.once('close', () => this.#leave())
    }

    trustSender(): void {
      if (unfinished.has(this) && !this.#trusted) held -= this.#bytes
      this.#trusted = true
    }

    beginTurn(): void {
      this.#inTurn = true
      if (this.complete) this.#leave()
    }

    isLate(): boolean {
      return !this.#trusted && !this.complete && now() - this.#since > longestBody
    }

    /** Whether ending it makes room. */
    isHeld(): boolean {
      return !this.#trusted && this.#bytes > 0
    }

    giveUp(fault: BodyFault): void {
      this.#given = true
      this.#leave()
      this.#unread.take()
      ended(fault)
      stopReading(this.socket)
      if (!this.emit('unreadable', fault)) this.socket.destroy()
    }

    // Node's parser calls it for each piece.
    override push(piece: Buffer | null): boolean {
      if (piece === null) {
        if (this.#inTurn) this.#leave()
        this.#passOn()
        return super.push(null)
      }
      if (this.#given) return true
      this.#measure(piece)
      if (this.#given) return true
      if (this.readableFlowing && this.readableLength === 0 && this.#unread.length() === 0)
        return super.push(piece)
      this.#unread.add(piece)
      return this.#unread.length() < mostUnread
    }

    override _read(size: number): void {
      // It would make the connection read on.
      if (this.#given) return
      this.#passOn()
      super._read(size)
    }

    #measure({ length }: Buffer): void {
      this.#pieces += 1
      this.#bytes += length
      if (unfinished.has(this) && !this.#trusted) held += length
      if (this.#pieces > freePieces + this.#bytes / leastPiece) this.giveUp('small_pieces')
      else if (held > mostHeld) makeRoom()
    }

    #passOn(): void {
      const gathered = this.#unread.take()
      if (gathered) super.push(gathered)
    }

    #leave(): void {
      if (unfinished.delete(this) && !this.#trusted) held -= this.#bytes
    }
  }

  function makeRoom(): void {
    for (const request of unfinished) {
      if (held <= mostHeld) return
      if (request.isHeld()) request.giveUp('memory')
    }
  }

  return {
    Request: Measured as unknown as typeof IncomingMessage,
    expect(request, response) {
      if (!(request instanceof Measured) || !announcesBody(request)) return
      request.begin()
      // Node itself would discard the rest of a body that no route reads without showing it to this class.
      response.once('prefinish', () => {
        if (!request.complete && request.readableFlowing === null) request.resume()
      })
    },
    beginTurn(request) {
      if (request instanceof Measured) request.beginTurn()
    },
    sweep() {
      for (const request of unfinished) if (request.isLate()) request.giveUp('late')
    },
  }
}

/** Whether a request has a body by its head (RFC 9112 section 6). */
export function announcesBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
}

/** Whether a request is one whose body is measured. Requests that a test injects are not. */
export function isMeasured(request: IncomingMessage): request is MeasuredRequest {
  return 'trustSender' in request
}
