import { type ErrorCode, errorCatalogue } from '@gatehouse/proto/errors'
import type { FastifyContextConfig } from 'fastify'
import { isChallenged, schemesOf } from '../http/challenge.ts'
import { bucketOf, limitOf } from '../limits/limit-table.ts'
import { defaultWait } from '../people/pages/errors.ts'

/** A header as fastify's plug-in takes it. `required` says that every such answer has it. */
type Header = { type: 'integer' | 'string'; description: string; required?: true }

const seconds = 'in seconds from now'

/** The headers of every counted request. Their names are those of many APIs. */
const ofLimit: Readonly<Record<string, Header>> = {
  'X-RateLimit-Limit': {
    type: 'integer',
    description: 'How many requests a minute are allowed (`x-gatehouse-rate-limit`).',
  },
  'X-RateLimit-Remaining': { type: 'integer', description: 'How many of them are left.' },
  'X-RateLimit-Reset': { type: 'integer', description: `When the minute ends, ${seconds}.` },
}

/**
 * The headers of an answer that its route does not declare, in the words of the OpenAPI document.
 * @param answer the codes of an error; absent for every other answer
 * @param limited whether requests are counted
 */
export function headersOf(
  answer: { codes?: readonly ErrorCode[] },
  { config = {}, limited }: { config?: FastifyContextConfig | undefined; limited: boolean },
): Record<string, Header> {
  const { codes = [] } = answer
  const waits = codes.some((code) => defaultWait[errorCatalogue[code].httpStatus] !== undefined)
  const challenged = codes.filter((code) => isChallenged(code, errorCatalogue[code].httpStatus))
  return {
    ...(limited && ofLimit),
    ...(waits && {
      'Retry-After': { type: 'integer', description: `When to try again, ${seconds}.`, required: true },
    }),
    ...(challenged.length > 0 && {
      'WWW-Authenticate': {
        type: 'string',
        description: challengeIn(challenged, config.page),
        ...(challenged.length === codes.length && { required: true }),
      },
    }),
  }
}

function challengeIn(codes: readonly ErrorCode[], page: boolean | undefined): string {
  const described = codes.map((code) => {
    const [scheme, ofScripts = scheme] = schemesOf(code, page)
    const forScripts = ofScripts === scheme ? '' : `, or \`${ofScripts}\` for the script of a page`
    return `\`${code}\`: \`${scheme}\`${forScripts}.`
  })
  return `How to authenticate (RFC 9110 section 11.6.1). ${described.join(' ')}`
}

/** How the requests of a route are limited, for programs that read the OpenAPI document. */
export function limitIn(config: FastifyContextConfig): object {
  const { limitByClient, limitByAdministrator } = config
  const bucket = bucketOf(config)
  const most = limitOf(bucket)
  return {
    name: bucket,
    ...(typeof most === 'number' ? { requestsPerMinute: most } : { variable: most }),
    countedBy: limitByClient ? 'client' : limitByAdministrator ? 'administrator' : 'address',
  }
}
