import type { App } from '@gatehouse/http/app'
import type { Presence } from '@gatehouse/proto/profiles'
import type { FastifyContextConfig, RouteOptions } from 'fastify'
import type { MetadataFields } from './metadata.ts'
import type { Part } from './part.ts'
import type { Tag } from './tags.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The name of the endpoint that the route belongs to. */
    endpoint?: string
    /** Where the route is; absent when it is everywhere. */
    presence?: Presence
  }
}

/**
 * How requests come in: `clients` authenticate as a client; `programs` may be scripts of pages of other origins, as clients may;
 * `people` send forms with a session, which those of `other sites` come without; `administrators` must be some; `anybody` is read and
 * counted like everything else.
 */
export type Door = 'anybody' | 'programs' | 'clients' | 'people' | 'administrators' | 'other sites'

/** An endpoint, or a feature with several routes, and everything that the rest of the server knows of it. */
export type Endpoint<Needs> = Pick<FastifyContextConfig, 'limit' | 'limitByClient'> & {
  /** For people. */
  readonly name: string
  readonly door: Door
  /** The part of the server that it belongs to; absent when it is everywhere. */
  readonly part?: Part<Needs>
  /** The group of its operations in the OpenAPI document. */
  readonly tag?: Tag
  /** Its fields in the metadata documents of the server. */
  readonly metadata?: (needs: Needs) => MetadataFields
  /** Whether its routes are in a fastify scope of their own, with hooks or bodies that those of its door do not have. */
  readonly scoped?: true
  /** Declares its routes. */
  readonly routes?: (app: App, needs: Needs) => void
}

/** Defines an endpoint, whose needs are those of its routes, its metadata and its part. */
export function endpoint<OfRoutes = unknown, OfMetadata = unknown, OfPart = unknown>(
  definition: Omit<Endpoint<never>, 'part' | 'metadata' | 'routes'> & {
    part?: Part<OfPart>
    metadata?: (needs: OfMetadata) => MetadataFields
    routes?: (app: App, needs: OfRoutes) => void
  },
): Endpoint<OfRoutes & OfMetadata & OfPart> {
  return definition
}

/** The needs of all endpoints of a list. */
export type NeedsOf<List extends readonly Endpoint<never>[]> = (
  List[number] extends infer One
    ? One extends Endpoint<infer Needs>
      ? (needs: Needs) => void
      : never
    : never
) extends (needs: infer All) => void
  ? All
  : never

/** Declares the endpoints of a door that are here, in its scope. */
export function declareEndpoints<Needs>(
  scope: App,
  endpoints: readonly Endpoint<Needs>[],
  { door, needs }: { door: Door; needs: Needs },
): void {
  // A fastify scope for each would make the start slower, and the requests of a door of different classes.
  let current: Endpoint<Needs> | undefined
  scope.addHook('onRoute', (route) => {
    if (current) markRoute(route, current)
  })
  for (const one of endpoints) {
    const { routes, part } = one
    if (one.door !== door || routes === undefined || (part && !part.on(needs))) continue
    if (one.scoped) {
      scope.register(async (own: App) => {
        own.addHook('onRoute', (route) => markRoute(route, one))
        routes(own, needs)
      })
    } else {
      current = one
      routes(scope, needs)
      current = undefined
    }
  }
}

function markRoute(
  route: RouteOptions,
  { name, part, tag, limit, limitByClient }: Omit<Endpoint<never>, 'routes' | 'metadata'>,
): void {
  const told = {
    endpoint: name,
    ...(part && { presence: part.presence }),
    ...(limit && { limit }),
    ...(limitByClient && { limitByClient }),
  }
  route.config = { ...told, ...route.config }
  if (tag && !route.schema?.hide) route.schema = { tags: [tag], ...route.schema }
}
