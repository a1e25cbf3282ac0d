import { type Command, Option } from 'commander'
import type { ClientPathsWithMethod, MethodResponse } from 'openapi-fetch'
import { type Api, dataOf } from './api.ts'
import { adderTo, addOptions, type CommandDeps, type OptionsOf, wholeNumber } from './command.ts'
import type { paths } from './generated/openapi.ts'
import { type Columns, table } from './output.ts'

type Path = ClientPathsWithMethod<Api, 'get'>
type Answer<From extends Path> = MethodResponse<Api, 'get', From>
type Row<From extends Path> = Answer<From> extends { items: (infer Item)[] } ? Item : never
/** Those of the query, or of the path; a path that takes none has `never` there. */
type Parameters<From extends Path, Place extends 'query' | 'path'> = paths[From]['get'] extends {
  parameters: { [Each in Place]?: infer Values }
}
  ? [Values] extends [undefined]
    ? Record<never, never>
    : NonNullable<Values>
  : never

/** A command that shows what a path of the API lists. */
export type List<From extends Path> = {
  path: From
  description: string
  /** One for every parameter that the API takes here. */
  options: OptionsOf<Parameters<From, 'query'>>
  /** What the path names, by the command's argument. */
  of?: (argument: string, api: Api) => Parameters<From, 'path'> | Promise<Parameters<From, 'path'>>
  columns: Columns<Row<From>>
  /** What people read where there is nothing. */
  nothing: string
}

/** The options of a list that comes by the page. */
export const page = {
  limit: new Option('--limit <count>', 'maximum results').argParser(wholeNumber),
  cursor: new Option('--cursor <cursor>', 'next_cursor of the list before'),
}

/** The options of a list of what happened. */
export const times = {
  since: new Option('--since <time>', 'only from this time on (RFC 3339)'),
  until: new Option('--until <time>', 'only before this time (RFC 3339)'),
}

/** An option for the order of a list. @param sorts those that it has, the default first */
export function sortedBy(sorts: readonly string[]): Option {
  return new Option('--sort <order>', `by default ${sorts[0]}; - before it: descending`).choices([...sorts])
}

/** An option for a filter that is true or false. */
export function filter(name: string, description: string): Option {
  return new Option(`--${name} <true|false>`, description).choices(['true', 'false'])
}

/**
 * Adds a command that lists.
 * @param words its name, and its argument if it takes one, as commander reads them
 */
export function addList<From extends Path>(
  group: Command,
  words: string,
  { path, description, options, of, columns, nothing }: List<From>,
  deps: CommandDeps,
): void {
  const command = adderTo(group, deps)(words, description, async (api) => {
    // TypeScript does not see through the client's types while the path is any of them.
    const get = api.GET as (path: From, init: object) => Promise<{ data?: Answer<From>; response: Response }>
    const [argument = ''] = command.args
    const list = await dataOf(get(path, { params: { query: query(), path: await of?.(argument, api) } }))
    return { json: list, text: table((list as { items: Row<From>[] }).items, columns, nothing) }
  })
  const query = addOptions(command, options)
}
