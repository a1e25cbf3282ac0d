import type { App } from '@gatehouse/http/app'
import type { ListRequest } from '@gatehouse/kit/administered/list-request'
import { filtersForLastRelease } from '@gatehouse/kit/administered/released-filters'
import type { PageRequest } from '@gatehouse/kit/page'
import {
  type Administered,
  type CarriedFields,
  carriedColumns,
} from '@gatehouse/proto/administered/administered'
import type { ErrorCode } from '@gatehouse/proto/errors'
import { type Static, type TSchema, Type } from '@gatehouse/proto/typebox'
import { type FoundPage, listRoute } from './list.ts'

/** A service's answer with a page of a list, besides the items. */
type FoundList = Omit<FoundPage<never>, 'items'>

/** The list of something administered, besides its definition. */
type AdministeredList<Item extends TSchema, Request extends ListRequest, Found extends FoundList> = {
  operationId: string
  /** The schema of an item, with a title. */
  item: Item
  /** An example of an item. */
  example: object
  /** Where the list is, and of what it is, as the end of its summary; absent for the definition's own path. */
  at?: { url: string; words: string }
  refusals?: readonly ErrorCode[]
  /** Asks the service for a page. */
  find(request: Request, params: Readonly<Record<string, string>>): Promise<Found>
  /** The items of the service's answer, as the API shows them. */
  items(found: Found): Static<Item>[]
}

/** Declares the route of a list that has a definition: its filters, its orders and its columns are in the document. */
export function administeredList<Item extends TSchema, Request extends ListRequest, Found extends FoundList>(
  app: App,
  definition: Administered,
  { operationId, item, example, at, refusals = [], find, items }: AdministeredList<Item, Request, Found>,
): void {
  const { path, words, sorts, filters } = definition
  const schemas = Object.entries(filters).map(([name, { schema }]) => [name, Type.Optional(schema)])
  listRoute(app, {
    url: at?.url ?? path,
    operationId,
    summary: `List ${words.many}${at?.words ?? ''}`,
    filters: {
      search: Type.Optional(Type.String({ description: words.search })),
      sort: Type.Optional(
        Type.Enum([...sorts], {
          description: `The order of the list; \`-\` before a field sorts in descending order. By default ${sorts[0]}.`,
        }),
      ),
      ...Object.fromEntries(schemas),
    },
    extensions: { 'x-gatehouse-list': described(definition) },
    item,
    answer: `The ${words.many}.`,
    example,
    refusals,
    async find(query, params) {
      // Its message has fields besides for the filters that the last release knows.
      const found = await find(requestFor(definition, query) as Request, params)
      return {
        items: items(found),
        nextCursor: found.nextCursor,
        ...(found.total !== undefined && { total: found.total }),
      }
    },
  })
}

/** The list as programs show it to people: its columns and filters. */
function described({ columns, filters }: Administered) {
  const shown = Object.entries(filters).filter(([, { hidden }]) => !hidden)
  return {
    columns: Object.entries(columns).map(([name, { hidden = false }]) => ({ name, hidden })),
    filters: shown.map(([name]) => name),
  }
}

/** The request for a page, from the query that the schemas have checked. */
function requestFor(definition: Administered, { cursor, limit, ...query }: PageRequest): ListRequest {
  const { search, sort, ...values } = query as Record<string, string | undefined>
  const set = Object.entries(values).filter(([, value]) => value !== undefined)
  const filters = Object.fromEntries(set.map(([name, value]) => [name, String(value)]))
  return { ...filtersForLastRelease(definition, values), search, sort, filters, cursor, limit }
}

/** The fields of an item that are columns of its list alone. */
export function carriedFields<Definition extends Administered>(
  definition: Definition,
): CarriedFields<Definition> {
  const fields = carriedColumns(definition).map(([name, schema]) => [name, Type.Optional(schema)])
  return Object.fromEntries(fields) as CarriedFields<Definition>
}
