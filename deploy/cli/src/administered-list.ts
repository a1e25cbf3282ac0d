import type { Administered, ListFilter } from '@gatehouse/proto/administered/administered'
import { type Command, Option } from 'commander'
import type { CommandDeps } from './command.ts'
import { addList, type List, type ListPath, page, type RowOf } from './list.ts'
import type { Columns } from './output.ts'

/**
 * Adds the command that shows a list that has a definition.
 * @param path its path, which ends with that of the definition
 * @param cells columns whose value is not a field of the item, by heading
 */
export function addAdministeredList<From extends ListPath>(
  group: Command,
  definition: Administered,
  path: From,
  deps: CommandDeps,
  cells: Columns<RowOf<From>> = {},
): void {
  const { words, sorts, filters, table } = definition
  const options = Object.entries(filters).map(([name, filter]) => [name, optionFor(name, filter)])
  const list = {
    path,
    description: `list ${words.many}, ${words.order}`,
    options: {
      search: new Option('--search <text>', spoken(words.search)),
      sort: new Option(
        '--sort <order>',
        `by default ${sorts[0]}; - before a field sorts in descending order`,
      ).choices([...sorts]),
      ...Object.fromEntries(options),
      ...page,
    },
    columns: { ...table, ...cells },
    nothing: `No ${words.many}.`,
  }
  // The compiler does not know the parameters of a path that is a type parameter; the document has them from the same definition.
  addList(group, 'list', list as unknown as List<From>, deps)
}

/** The option for a filter. */
function optionFor(name: string, { schema, option }: ListFilter): Option {
  const {
    type,
    enum: values,
    description = '',
  } = schema as {
    type?: string
    enum?: readonly string[]
    description?: string
  }
  const value = type === 'boolean' ? 'true|false' : 'value'
  const flags = option ?? `${name.replaceAll('_', '-')} <${value}>`
  const choices = type === 'boolean' ? ['true', 'false'] : values
  const made = new Option(`--${flags}`, spoken(description))
  return choices ? made.choices([...choices]) : made
}

/** A sentence as a help text has it. */
function spoken(sentence: string): string {
  return sentence.replace(/^./, (letter) => letter.toLowerCase()).replace(/\.$/, '')
}
