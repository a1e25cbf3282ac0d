import type { IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { App } from '@gatehouse/http/app'
import { Refusal } from '@gatehouse/kit/errors'
import type { FastifyRequest } from 'fastify'
import { isMeasured, longestBody, type NoBody } from './measured-request.ts'

/** The largest body that strangers may send, in bytes. Routes behind a guard may take larger ones. */
export const largestBody = 64 * 1024

/**
 * Makes a fastify scope take bodies of these media types only, each read into one Buffer. A body that is larger than the route takes,
 * comes in too small pieces or too slowly is refused; one whose sender is gone is an error with the statusCode 400.
 * @param parse makes the request's body of it; what it throws is the answer
 */
export function takeBodies(scope: App, types: string[], parse: (body: Buffer) => unknown): void {
  scope.removeAllContentTypeParsers()
  // A callback, not a promise: this is on the way of every token.
  scope.addContentTypeParser(types, (request: FastifyRequest, payload: IncomingMessage, done: Done) => {
    const limit = request.routeOptions.bodyLimit
    if (Number(request.headers['content-length']) > limit) return done(refusals.too_large())
    readBody(payload, limit, (body) => {
      if (typeof body === 'string') return done(refusals[body]())
      let parsed: unknown
      try {
        parsed = parse(body)
      } catch (error) {
        return done(error as Error)
      }
      done(null, parsed)
    })
  })
}

type Done = (error: Error | null, body?: unknown) => void

function readBody(payload: IncomingMessage, limit: number, done: (body: Buffer | NoBody) => void): void {
  if (!isMeasured(payload)) return void buffer(payload).then(done)
  if (limit > largestBody) payload.trustSender()
  payload.readBody(limit, done)
}

const refusals: Record<NoBody, () => Error> = {
  too_large: () => new Refusal('invalid_request', 'The body is too large.', { httpStatus: 413 }),
  small_pieces: () => new Refusal('invalid_request', 'The body comes in pieces that are too small.'),
  late: () =>
    new Refusal('invalid_request', `The body must be complete within ${longestBody / 1000} s.`, {
      httpStatus: 408,
    }),
  memory: () => new Refusal('temporarily_unavailable'),
  aborted: () => Object.assign(new Error('The sender of the body is gone.'), { statusCode: 400 }),
}
