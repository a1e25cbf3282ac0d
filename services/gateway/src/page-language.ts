import { chooseLanguage, type Language } from '@gatehouse/proto/languages'
import type { FastifyRequest } from 'fastify'

/** The language that a browser prefers, of ours (RFC 9110 section 12.5.4). */
export function pageLanguage(request: FastifyRequest): Language {
  return chooseLanguage(request.accepts().languages())
}
