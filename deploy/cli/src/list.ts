import type { paths } from '@gatehouse/admin-api/generated/openapi'
import { type Command, Option } from 'commander'
import type { ClientPathsWithMethod, MethodResponse } from 'openapi-fetch'
import { type Api, dataOf } from './api.ts'
import { adderTo, addOptions, type CommandDeps, type OptionsOf, wholeNumber } from './command.ts'
import { type Columns, table } from './output.ts'

/** The paths of the API that answer a GET. */
export type ListPath = ClientPathsWithMethod<Api, 'get'>
type Answer<From extends ListPath> = MethodResponse<Api, 'get', From>
/** An item of a list of the API. */
export type RowOf<From extends ListPath> = Answer<From> extends { items: (infer Item)[] } ? Item : never
/** The parameters in the query or in the path. A path without any has `never` there. */
type Parameters<From extends ListPath, Place extends 'query' | 'path'> = paths[From]['get'] extends {
  parameters: { [Each in Place]?: infer Values }
}
  ? [Values] extends [undefined]
    ? Record<never, never>
    : NonNullable<Values>
  : never

/** A command that shows a list of the API. */
export type List<From extends ListPath> = {
  path: From
  description: string
  /** An option for each query parameter of the API's list. */
  options: OptionsOf<Parameters<From, 'query'>>
  /** Replaces what people say by what the API takes, such as a name by an id. */
  resolve?: (
    query: Partial<Parameters<From, 'query'>>,
    api: Api,
  ) => Promise<Partial<Parameters<From, 'query'>>>
  /** The parameters of the path, from the command's argument. */
  of?: (argument: string, api: Api) => Parameters<From, 'path'> | Promise<Parameters<From, 'path'>>
  columns: Columns<RowOf<From>>
  /** The text for an empty list. */
  nothing: string
}

/** The options of a list that has pages. */
export const page = {
  limit: new Option('--limit <count>', 'the largest number of items').argParser(wholeNumber),
  cursor: new Option('--cursor <cursor>', 'the next_cursor of the previous page'),
}

/** The time filters of a list. */
export const times = {
  since: new Option('--since <time>', 'only from this time on (RFC 3339)'),
  until: new Option('--until <time>', 'only before this time (RFC 3339)'),
}

/**
 * Adds a command that shows a list.
 * @param words its name, and its argument if it has one, as commander parses them
 */
export function addList<From extends ListPath>(
  group: Command,
  words: string,
  { path, description, options, resolve, of, columns, nothing }: List<From>,
  deps: CommandDeps,
): void {
  const command = adderTo(group, deps)(words, description, async (api) => {
    // TypeScript cannot resolve the client's types for a generic path.
    const get = api.GET as (path: From, init: object) => Promise<{ data?: Answer<From>; response: Response }>
    const [argument = ''] = command.args
    const wanted = query()
    const params = { query: (await resolve?.(wanted, api)) ?? wanted, path: await of?.(argument, api) }
    const list = await dataOf(get(path, { params }))
    return { json: list, text: table((list as { items: RowOf<From>[] }).items, columns, nothing) }
  })
  const query = addOptions(command, options)
}
