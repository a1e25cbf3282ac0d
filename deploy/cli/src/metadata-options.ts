import { type ClientField, clientFieldEntries, fieldsIn } from '@gatehouse/proto/client-metadata'
import type { Command } from 'commander'
import { oneMore, wholeNumber } from './command.ts'

/** The values of the options that follow from proto/client-metadata.ts, by commander's names. */
export type MetadataOptions = Record<string, unknown>

/** Adds an option to a command for each field of a client's metadata document that has no option of its own. */
export function addMetadataOptions(command: Command): Command {
  for (const [name, field] of clientFieldEntries) {
    const flags = `--${name.replaceAll('_', '-')} <${placeholderOf(field)}>`
    const description = field.description.replaceAll('`', '')
    if (field.kind === 'texts') command.option(flags, `${description} May be repeated.`, oneMore)
    else if (field.kind === 'integer') command.option(flags, description, numberOrNothing)
    else command.option(flags, description)
  }
  return command
}

/** The fields that the options name, as the API takes them; null for one that is to be taken away. */
export function metadataOf(options: MetadataOptions): Record<string, unknown> {
  const values = clientFieldEntries.map(([name]) => {
    const value = options[name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())]
    return [name, isEmpty(value) ? null : value]
  })
  return fieldsIn(Object.fromEntries(values))
}

function placeholderOf(field: ClientField): string {
  return { text: 'text', texts: 'text', url: 'url', integer: 'unit' in field ? field.unit : 'count' }[
    field.kind
  ]
}

function numberOrNothing(text: string): number | '' {
  return text === '' ? '' : wholeNumber(text)
}

function isEmpty(value: unknown): boolean {
  return value === '' || (Array.isArray(value) && value.every((text) => text === ''))
}
