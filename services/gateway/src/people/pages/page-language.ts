import { chooseLanguage, type Language } from '@gatehouse/proto/people/languages'
import type { FastifyRequest } from 'fastify'

/**
 * The language of the page that answers a request: the first one of ours among those given, then among those that the
 * browser accepts (RFC 9110 section 12.5.4); English when there is none.
 * @param preferred language tags that come before the browser's: those that an app asks for, or that of the account
 */
export function languageOf(
  request: FastifyRequest,
  preferred: readonly (string | undefined)[] = [],
): Language {
  const accepted = request.accepts().languages()
  const given = preferred.filter((tag) => tag !== undefined)
  return chooseLanguage([...given, ...(Array.isArray(accepted) ? accepted : [])])
}
