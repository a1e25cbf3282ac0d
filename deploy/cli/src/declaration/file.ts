import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { CommandFailure, exitCodes } from '../failure.ts'
import type { Terminal } from '../terminal.ts'
import { type Fields, type Kind, nameOf } from './kind.ts'
import { kinds } from './kinds.ts'
import { parsedYaml } from './parsed-yaml.ts'
import { expand, type Variables } from './variables.ts'

/** The objects that files declare, by their kind and in the order of the files. */
export type Declaration = ReadonlyMap<Kind, readonly Fields[]>

/**
 * Reads what files declare.
 * @param paths files of YAML or JSON; `-` for the standard input
 * @param variables the values of `${NAME}` in texts
 * @throws CommandFailure, which names the file and what is wrong in it
 */
export async function readDeclaration(
  paths: readonly string[],
  variables: Variables,
  { input }: Pick<Terminal, 'input'>,
): Promise<Declaration> {
  const declared = new Map<Kind, Map<string, Fields>>(kinds.map((kind) => [kind, new Map()]))
  for (const path of paths) {
    const fail = (fault: string): never => {
      throw new CommandFailure(`${path}: ${fault}`, exitCodes.usage)
    }
    const content = parsedYaml(path === '-' ? await text(input) : await contentOf(path), fail) ?? {}
    for (const [section, items] of Object.entries(asObject(content, 'The file', fail))) {
      const kind = kinds.find((one) => one.section === section)
      if (kind === undefined)
        return fail(`${section} must be one of ${kinds.map((one) => one.section).join(', ')}`)
      if (!Array.isArray(items)) return fail(`${section} must be a list`)
      for (const [index, item] of items.entries()) {
        const place = `${section}[${index}]`
        const fields = checked(asObject(item, place, fail), kind, { place, fail })
        const expanded = expand(fields, variables, (fault) => fail(`${place}: ${fault}`)) as Fields
        const others = declared.get(kind)
        const name = nameOf(kind, expanded)
        if (others?.has(name)) fail(`${place}: another ${kind.name} has the same ${kind.key}, ${name}`)
        others?.set(name, expanded)
      }
    }
  }
  return new Map([...declared].map(([kind, objects]) => [kind, [...objects.values()]]))
}

async function contentOf(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new CommandFailure(`${path} cannot be read (${error.code}).`, exitCodes.usage)
  })
}

function asObject(value: unknown, place: string, fail: (fault: string) => never): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields
  return fail(`${place} must be a mapping of names to values`)
}

function checked(
  fields: Fields,
  kind: Kind,
  { place, fail }: { place: string; fail: (fault: string) => never },
): Fields {
  if (typeof fields[kind.key] !== 'string' || fields[kind.key] === '')
    fail(`${place}: ${kind.key} is missing`)
  const unknown = Object.keys(fields).find((name) => name !== kind.key && !Object.hasOwn(kind.fields, name))
  if (unknown !== undefined) fail(`${place}: a ${kind.name} has no field ${unknown}`)
  return fields
}
