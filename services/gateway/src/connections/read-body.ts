import type { IncomingMessage } from 'node:http'
import type { App } from '@gatehouse/http/app'
import { Refusal } from '@gatehouse/kit/errors'
import type { FastifyRequest } from 'fastify'
import { createGathering } from './gathering.ts'
import { type BodyFault, isMeasured, longestBody } from './measured-request.ts'

/** The largest body that strangers may send, in bytes. Routes behind a guard may take larger ones. */
export const largestBody = 64 * 1024

/**
 * Makes a fastify scope take bodies of these media types only, each read into one Buffer.
 * @param parse makes the request's body of it; what it throws is the answer
 */
export function takeBodies(scope: App, types: string[], parse: (body: Buffer) => unknown): void {
  scope.removeAllContentTypeParsers()
  const read = async (request: FastifyRequest, payload: IncomingMessage) =>
    parse(await readBody(request, payload))
  scope.addContentTypeParser(types, read)
}

/**
 * Reads a body into one Buffer.
 * @returns a promise that rejects with a Refusal when the body is larger than the route takes, is not as long as announced, comes in
 * too small pieces or too slowly; with an error that has the statusCode 400 when its sender is gone
 */
async function readBody(request: FastifyRequest, payload: IncomingMessage): Promise<Buffer> {
  const limit = request.routeOptions.bodyLimit
  const announced = request.headers['content-length']
  if (Number(announced) > limit) throw tooLarge()
  if (limit > largestBody && isMeasured(request.raw)) request.raw.trustSender()
  const body = await gathered(payload, limit)
  if (announced !== undefined && Number(announced) !== body.length)
    throw new Refusal('invalid_request', 'The Content-Length is not the length of the body.')
  return body
}

function gathered(payload: IncomingMessage, limit: number): Promise<Buffer> {
  const body = createGathering()
  return new Promise((resolve, reject) => {
    const settled = () => {
      payload.off('data', take).off('end', end).off('error', fail).off('unreadable', refuse)
    }
    const take = (piece: Buffer) => {
      if (body.length() + piece.length > limit) fail(tooLarge())
      else body.add(piece)
    }
    const end = () => {
      settled()
      resolve(body.take() ?? Buffer.alloc(0))
    }
    const fail = (error: Error) => {
      settled()
      reject(error instanceof Refusal ? error : Object.assign(error, { statusCode: 400 }))
    }
    const refuse = (fault: BodyFault) => fail(refusals[fault]())
    payload.on('data', take).on('end', end).on('error', fail).on('unreadable', refuse)
  })
}

const tooLarge = () => new Refusal('invalid_request', 'The body is too large.', { httpStatus: 413 })

const refusals: Record<BodyFault, () => Refusal> = {
  small_pieces: () => new Refusal('invalid_request', 'The body comes in pieces that are too small.'),
  late: () =>
    new Refusal('invalid_request', `The body must be complete within ${longestBody / 1000} s.`, {
      httpStatus: 408,
    }),
  memory: () => new Refusal('temporarily_unavailable'),
}
