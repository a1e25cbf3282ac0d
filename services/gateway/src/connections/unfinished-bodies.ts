import type { IncomingMessage } from 'node:http'
import { http } from '@gatehouse/kit/node-http'
import { createGathering } from './gathering.ts'
import {
  announcesBody,
  type BodyFault,
  longestBody,
  type MeasuredRequest,
  type NoBody,
} from './measured-request.ts'
import { stopReading } from './stop-reading.ts'

/** The requests of a server whose bodies have not come whole yet, or which wait for their turn behind other requests. */
export type UnfinishedBodies = {
  /** The class of the server's requests. */
  Request: typeof IncomingMessage
  /** Expects the body that a request announces, if it does. */
  expect(request: IncomingMessage): void
  /** Notes that a request was answered. The rest of its body is of no use to anybody. */
  answered(request: IncomingMessage): void
  /** Notes that a request waits behind others of its connection. Its head takes memory as a body does. */
  wait(request: IncomingMessage): void
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

/** How many pieces a body may have whatever their size, and how many bytes each further one must have on average. */
const freePieces = 1_000
const leastPiece = 64
/** How many bytes of unread body one request may hold before its connection is no longer read. */
const mostUnread = 64 * 1024
/** How many bytes the requests of all strangers may have that wait for their turn, and the bodies that are unfinished. */
const mostHeld = 64 * 1024 * 1024
/** How many bytes the name or the value of a header takes in memory besides its characters. */
const costOfText = 32

/**
 * Creates the class of a server's requests. Node keeps one Buffer for each piece of a body that nobody reads yet, which takes
 * hundreds of bytes for a piece of one byte; this class keeps one Buffer for all of them. It gives that to a reader in one call, which
 * takes a fraction of the time of a stream's events. A body in too many small pieces ends, as does one that takes too long, and the
 * oldest where all together are too large. Its reader hears of it; where nobody reads, the connection is closed.
 */
export function createUnfinishedBodies({ now, ended }: UnfinishedBodiesDeps): UnfinishedBodies {
  /** In the order in which they began. */
  const unfinished = new Set<Measured>()
  let held = 0

  class Measured extends http.IncomingMessage implements MeasuredRequest {
    #since = 0
    #pieces = 0
    #bytes = 0
    /** How many bytes of it count in `held`. */
    #held = 0
    #trusted = false
    #given = false
    #unwanted = false
    #inTurn = false
    #most = 0
    #done: ((body: Buffer | NoBody) => void) | undefined
    #isOver = false
    #isAnswered = false
    #over: (() => void) | undefined
    readonly #unread = createGathering()

    begin(): void {
      this.#since = now()
      unfinished.add(this)
      // Otherwise Node would discard the rest of a body that no route reads without showing it to this class.
      super._read(0)
    }

    trustSender(): void {
      this.#letGo()
      this.#trusted = true
    }

    readBody(most: number, done: (body: Buffer | NoBody) => void): void {
      this.#most = most
      this.#done = done
      if (this.destroyed) this.#finish('aborted')
      else if (this.#unread.length() > most) this.#refuse()
      else if (this.complete) this.#finish(this.#taken())
      else super._read(0)
    }

    whenOver(over: () => void): void {
      if (this.#isOver) over()
      else this.#over = over
    }

    wait(): void {
      unfinished.add(this)
      this.#hold(
        this.rawHeaders.reduce((sum, { length }) => sum + length + costOfText, this.url?.length ?? 0),
      )
      makeRoom()
    }

    beginTurn(): void {
      this.#inTurn = true
      // Of its head nothing waits any more.
      this.#letGo()
      if (this.complete) this.#leave()
      else this.#hold(this.#bytes)
    }

    answered(): void {
      this.#isAnswered = true
      this.#callOver()
      if (this.complete) this.#forgetIdle()
      else if (this.readableFlowing === null) {
        this.#drop()
        super._read(0)
      }
    }

    sweep(): void {
      // Node tells a request that was answered of nothing any more.
      if (this.socket.destroyed) this.#end()
      else if (!this.#trusted && !this.complete && now() - this.#since > longestBody) this.giveUp('late')
    }

    /** Whether ending it makes room. */
    isHeld(): boolean {
      return this.#held > 0
    }

    giveUp(fault: BodyFault): void {
      this.#given = true
      this.#end()
      this.#unread.take()
      ended(fault)
      stopReading(this.socket)
      if (!this.#finish(fault)) this.socket.destroy()
    }

    // Node's parser calls it for each piece.
    override push(piece: Buffer | null): boolean {
      if (piece === null) return this.#complete()
      if (this.#given) return true
      this.#measure(piece)
      if (this.#given || this.#unwanted) return true
      if (this.readableFlowing && this.readableLength === 0 && this.#unread.length() === 0)
        return super.push(piece)
      this.#unread.add(piece)
      if (this.#done === undefined) return this.#unread.length() < mostUnread
      if (this.#unread.length() > this.#most) this.#refuse()
      return true
    }

    override _read(size: number): void {
      // It would make the connection read on.
      if (this.#given) return
      this.#passOn()
      super._read(size)
    }

    override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
      this.#end()
      this.#finish('aborted')
      super._destroy(error, done)
    }

    #measure({ length }: Buffer): void {
      this.#pieces += 1
      this.#bytes += length
      if (!this.#unwanted) this.#hold(length)
      if (this.#pieces > freePieces + this.#bytes / leastPiece) this.giveUp('small_pieces')
      else makeRoom()
    }

    #complete(): boolean {
      // Nobody reads them, and they may be as large as the head.
      this.rawTrailers = []
      if (this.#inTurn) this.#leave()
      this.#callOver()
      if (this.#isAnswered) this.#forgetIdle()
      // A body that was read needs no end of its stream, which would take several turns of the event loop.
      if (this.#done !== undefined) this.#finish(this.#taken())
      else if (this.readableFlowing !== null) this.#passOn()
      return false
    }

    #taken(): Buffer {
      return this.#unread.take() ?? Buffer.alloc(0)
    }

    #refuse(): void {
      this.#drop()
      this.#finish('too_large')
    }

    /** Keeps nothing of what has come, and of what is still to come. */
    #drop(): void {
      this.#unwanted = true
      this.#unread.take()
      this.#letGo()
    }

    /** @returns whether there was a reader to tell */
    #finish(body: Buffer | NoBody): boolean {
      const done = this.#done
      this.#done = undefined
      done?.(body)
      return done !== undefined
    }

    /** Gives what has come to those who read the stream. */
    #passOn(): void {
      const gathered = this.#unread.take()
      if (gathered) super.push(gathered)
      if (this.complete) super.push(null)
    }

    /** Nothing more of it is to come. */
    #end(): void {
      this.#leave()
      this.#callOver()
    }

    #callOver(): void {
      this.#isOver = true
      this.#over?.()
      this.#over = undefined
    }

    #leave(): void {
      if (unfinished.delete(this)) this.#letGo()
    }

    #hold(bytes: number): void {
      if (this.#trusted || !unfinished.has(this)) return
      this.#held += bytes
      held += bytes
    }

    #letGo(): void {
      held -= this.#held
      this.#held = 0
    }

    /** An idle connection would keep its last request until the next one: Node waits for the end of the stream. */
    #forgetIdle(): void {
      const { parser } = this.socket as { parser?: { incoming: unknown } | null }
      if (parser?.incoming === this) parser.incoming = null
    }
  }

  function makeRoom(): void {
    for (const request of unfinished) {
      if (held <= mostHeld) return
      if (request.isHeld()) request.giveUp('memory')
    }
  }

  return {
    Request: Measured,
    expect(request) {
      if (request instanceof Measured && announcesBody(request)) request.begin()
    },
    answered(request) {
      if (request instanceof Measured) request.answered()
    },
    wait(request) {
      if (request instanceof Measured) request.wait()
    },
    beginTurn(request) {
      if (request instanceof Measured) request.beginTurn()
    },
    sweep() {
      for (const request of unfinished) request.sweep()
    },
  }
}
