import type { App } from '@gatehouse/http/app'
import { mostItems, type PageRequest } from '@gatehouse/kit/page'
import type { ErrorCode } from '@gatehouse/proto/errors'
import { type Static, type TObject, type TProperties, type TSchema, Type } from '@gatehouse/proto/typebox'
import { type ParameterOf, pathParameters } from './operation.ts'
import { adminAnswers } from './schemas.ts'

/** How many items a page has by default. */
const defaultLimit = 50

const pageQuery = {
  cursor: Type.Optional(Type.String({ description: 'The `next_cursor` of the previous page.' })),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: mostItems,
      default: defaultLimit,
      description: 'The largest number of items.',
    }),
  ),
}

/** A request for a list: the page, and the values of the filters. */
export type Wanted<Filters extends TProperties> = Static<TObject<Filters>> & PageRequest

/** A page of a list as a service gives it. */
export type FoundPage<Item> = {
  items: Item[]
  /** Absent on the last page. */
  nextCursor?: string | undefined
  /** The number of all items; undefined when they are not counted. */
  total?: bigint
}

/** A list of the API. Every list has the same parameters for pages and the same form of answer. */
export type List<Path extends string, Filters extends TProperties, Item extends TSchema> = {
  url: Path
  operationId: string
  summary: string
  description?: string
  /** The query parameters that filter or sort the list. */
  filters: Filters
  /** More about the operation in the document, by the names of extensions. */
  extensions?: Readonly<Record<`x-${string}`, unknown>>
  /** The schema of an item, with a title. */
  item: Item
  /** The content of an answer, as a sentence. */
  answer: string
  /** An example of an item. */
  example: object
  /** The error codes of this route, besides the guard's. */
  refusals?: readonly ErrorCode[]
  find(wanted: Wanted<Filters>, params: Record<ParameterOf<Path>, string>): Promise<FoundPage<Static<Item>>>
}

/** Declares the route of a list: GET with a cursor, a limit and the list's own filters. */
export function listRoute<Path extends string, Filters extends TProperties, Item extends TSchema>(
  app: App,
  {
    url,
    operationId,
    summary,
    description,
    filters,
    extensions,
    item,
    answer,
    example,
    refusals = [],
    find,
  }: List<Path, Filters, Item>,
): void {
  app.route({
    method: 'GET',
    url,
    schema: {
      operationId,
      summary,
      ...(description !== undefined && { description }),
      ...extensions,
      ...pathParameters(url),
      querystring: Type.Object({ ...filters, ...pageQuery }),
      response: adminAnswers(
        { 200: listSchema(item, answer, example) as TSchema },
        ...refusals,
        'invalid_request',
      ),
    },
    async handler({ query, params }) {
      // The schema has checked the query.
      const wanted = { limit: defaultLimit, ...Object(query) } as Wanted<Filters>
      const { items, nextCursor, total } = await find(
        { ...wanted, cursor: wanted.cursor || undefined },
        params as Record<ParameterOf<Path>, string>,
      )
      return {
        items,
        ...(nextCursor !== undefined && { next_cursor: nextCursor }),
        ...(total !== undefined && { total: Number(total) }),
      }
    },
  })
}

/**
 * The schema of a list's answer.
 * @param item the schema of an item, with a title
 * @param answer the content of the list, as a sentence
 * @param example an example of an item
 */
export function listSchema<Item extends TSchema>(item: Item, answer: string, example: object) {
  const { title } = item as { title?: string }
  return Type.Object(
    {
      items: Type.Array(item),
      next_cursor: Type.Optional(
        Type.String({ description: 'The cursor of the next page; absent on the last page.' }),
      ),
      total: Type.Optional(
        Type.Integer({ description: 'How many there are in all, regardless of the filters.' }),
      ),
    },
    { title: `${title}List`, description: answer, examples: [{ items: [example] }] },
  )
}
