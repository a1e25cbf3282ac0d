import { type App, notStored } from '@gatehouse/http/app'
import { inSpan } from '@gatehouse/kit/telemetry/trace'
import { errorCatalogue } from '@gatehouse/proto/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { noteRefusal } from '../http/requests.ts'
import { prefersHtml } from '../people/pages/errors.ts'
import type { Admission } from './admission.ts'
import { unavailable } from './failures.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The admission that let the request in, until the request is answered. */
    admission: Admission | null
  }
}

/** The needs of refuseTooMany. */
export type BackPressure = {
  /** Admits requests that share calls to the token service. */
  tokens: Admission
  /** Admits all other requests, so that a flood at the token endpoint leaves room for them. */
  others: Admission
  /** Called for each refused request. */
  rejected(): void
}

/** The paths that are answered even under overload. */
const alwaysAnswered: ReadonlySet<string> = new Set(['/health', '/ready', '/metrics'])
const sharedCalls: ReadonlySet<string> = new Set(['/oauth/token', '/oauth/introspect'])

const code = 'temporarily_unavailable'
const tooMuch = 'the gateway has too much to do'
const body = JSON.stringify({ error: code, error_description: errorCatalogue[code].description })
const headers = { ...notStored, 'content-type': 'application/json; charset=utf-8', 'retry-after': '1' }

/**
 * Makes requests wait, or refuses them, when there are too many. It must be called before any other hook that works on
 * requests is added. A request is admitted only after its body was read: otherwise a few hundred callers who send their
 * bodies slowly would take all the room.
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
        // The end of another request may admit this one, which must not continue that request's trace.
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

  // Not when the connection closes: the work for a caller who disconnects goes on.
  app.addHook('onSend', (request, _reply, _payload, done) => {
    const { admission } = request
    request.admission = null
    admission?.leave()
    done()
  })
}

// Not thrown: an error with its stack and its log line would cost more than everything else here.
function refuse(request: FastifyRequest, reply: FastifyReply): void {
  noteRefusal(request, { code, description: tooMuch, detail: undefined })
  reply.code(503).headers(headers).send(body)
}
