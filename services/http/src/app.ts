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
    /** Whether the route is for people with a browser, whose errors are pages too. */
    page?: boolean
  }
}

/** The HTTP server that routes are declared on. Their types follow from their schemas. */
export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

/** The headers of answers with tokens or secrets, which no cache may store (RFC 6749 section 5.1). */
export const notStored = {
  'cache-control': 'no-store',
  pragma: 'no-cache',
  'x-content-type-options': 'nosniff',
} as const
