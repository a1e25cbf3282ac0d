import { type App, notStored } from '@gatehouse/http/app'
import { inSpan } from '@gatehouse/kit/trace'
import { errorCatalogue } from '@gatehouse/proto/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { prefersHtml } from '../errors.ts'
import { noteRefusal } from '../requests.ts'
import type { Admission } from './admission.ts'
import { unavailable } from './failures.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** What has let it in, until it is answered. */
    admission: Admission | null
  }
}

/** What back-pressure needs. */
export type BackPressure = {
  /** Of requests that share calls to the token service. */
  tokens: Admission
  /** Of all others, so that a flood of those leaves room for them. */
  others: Admission
  /** Told of a request that is refused. */
  rejected(): void
}

/** What is answered however much there is to do. */
const alwaysAnswered: ReadonlySet<string> = new Set(['/health', '/ready', '/metrics'])
const sharedCalls: ReadonlySet<string> = new Set(['/oauth/token', '/oauth/introspect'])

const code = 'temporarily_unavailable'
const tooMuch = 'the gateway has too much to do'
const body = JSON.stringify({ error: code, error_description: errorCatalogue[code].description })
const headers = { ...notStored, 'content-type': 'application/json; charset=utf-8', 'retry-after': '1' }

/**
 * Lets requests wait, or refuses them, when there are too many. It must be called before all that works on requests is
 * declared. A request is held up when its body has been read, and not before: else a few hundred callers who send
 * theirs slowly would take all the room.
 */
export function refuseTooMany(app: App, { tokens, others, rejected }: BackPressure): void {
  app.decorateRequest('admission', null)

  app.addHook('preValidation', (request, reply, done) => {
    const { url = '' } = request.routeOptions
    if (alwaysAnswered.has(url)) return done()
    const admission = sharedCalls.has(url) ? tokens : others
    admission.ask({
      begin() {
        request.admission = admission
        // It may be let in when another request ends, and must not take that one's trace for its own.
        inSpan(request.span ?? undefined, done)
      },
      refuse() {
        rejected()
        if (request.routeOptions.config.page && prefersHtml(request)) done(unavailable(tooMuch))
        else refuse(request, reply)
      },
      isGone: () => reply.raw.destroyed,
    })
  })

  // Not when the connection is closed: whoever hangs up leaves work behind.
  app.addHook('onSend', (request, _reply, _payload, done) => {
    const { admission } = request
    request.admission = null
    admission?.leave()
    done()
  })
}

// Not thrown: an error with its stack, and a line in the log for it, cost more than all else here.
function refuse(request: FastifyRequest, reply: FastifyReply): void {
  noteRefusal(request, { code, description: tooMuch, detail: undefined })
  reply.code(503).headers(headers).send(body)
}
