import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether people come here with a browser: then errors are pages, too. */
    page?: boolean
  }
}

/** The HTTP server that routes are declared on: the schemas give the types. */
export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

/** Answers with tokens or secrets in them are never kept by anybody between (RFC 6749 section 5.1). */
export const notStored = {
  'cache-control': 'no-store',
  pragma: 'no-cache',
  'x-content-type-options': 'nosniff',
} as const
