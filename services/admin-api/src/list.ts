import type { App } from '@gatehouse/http/app'
import { mostItems, type PageRequest } from '@gatehouse/kit/page'
import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox'
import { adminAnswers } from './schemas.ts'

/** How many items a page has where the request does not say. */
const defaultLimit = 50

const pageQuery = {
  cursor: Type.Optional(Type.String({ description: '`next_cursor` of the page before.' })),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: mostItems,
      default: defaultLimit,
      description: 'Maximum results.',
    }),
  ),
}

/** The parameter for the order of a list. @param sorts those that it has, the default first */
export function sortedBy<Sort extends string>(sorts: readonly Sort[]) {
  const description = `What the list is sorted by; \`-\` before it: in descending order. By default ${sorts[0]}.`
  return Type.Optional(Type.Enum([...sorts], { description }))
}

/** What a list is asked for: the page, and the values of its filters. */
export type Wanted<Filters extends TProperties> = Static<TObject<Filters>> & PageRequest

/** A page of a list as a service gives it. */
type FoundPage<Item> = {
  items: Item[]
  /** Empty: this is the last page. */
  nextCursor: string
  /** How many there are in all; undefined: nobody counts them. */
  total?: bigint
}

/** A list of the API. Every list has the same parameters for pages, and answers in the same form. */
export type List<Filters extends TProperties, Item extends TSchema> = {
  url: string
  operationId: string
  summary: string
  description?: string
  /** What the list can be limited to or sorted by: parameters of the query. */
  filters: Filters
  /** With a title. */
  item: Item
  /** What an answer holds, as a sentence. */
  answer: string
  /** One item. */
  example: object
  find(wanted: Wanted<Filters>): Promise<FoundPage<Static<Item>>>
}

/** Adds the route of a list: GET with a cursor, a limit and the list's own filters. */
export function listRoute<Filters extends TProperties, Item extends TSchema>(
  app: App,
  { url, operationId, summary, description, filters, item, answer, example, find }: List<Filters, Item>,
): void {
  app.route({
    method: 'GET',
    url,
    schema: {
      operationId,
      summary,
      ...(description !== undefined && { description }),
      querystring: Type.Object({ ...filters, ...pageQuery }),
      response: adminAnswers({ 200: listSchema(item, answer, example) as TSchema }, 'invalid_request'),
    },
    async handler({ query }) {
      // The schema has just checked this.
      const wanted = { cursor: '', limit: defaultLimit, ...Object(query) } as Wanted<Filters>
      const { items, nextCursor, total } = await find(wanted)
      return {
        items,
        ...(nextCursor !== '' && { next_cursor: nextCursor }),
        ...(total !== undefined && { total: Number(total) }),
      }
    },
  })
}

/**
 * The answer of a list.
 * @param item the schema of an item, with a title
 * @param answer what the list holds, as a sentence
 * @param example one item
 */
export function listSchema<Item extends TSchema>(item: Item, answer: string, example: object) {
  const { title } = item as { title?: string }
  return Type.Object(
    {
      items: Type.Array(item),
      next_cursor: Type.Optional(
        Type.String({ description: 'For the next page. Absent: this is the last.' }),
      ),
      total: Type.Optional(
        Type.Integer({ description: 'How many there are in all, whatever was searched.' }),
      ),
    },
    { title: `${title}List`, description: answer, examples: [{ items: [example] }] },
  )
}
