import type { ClientToCreate } from '@gatehouse/admin-api/generated/openapi'
import { type ClientField, type ClientFieldName, clientFieldEntries } from '@gatehouse/proto/client-metadata'
import { InvalidArgumentError, Option } from 'commander'
import { type OptionsOf, repeated, wholeNumber } from './command.ts'

/** The fields that are switches when a client is created. */
export type SwitchName = 'token_endpoint_auth_method' | 'first_party'

/** An option for each field of a client's metadata document that is no switch. */
export const metadataOptions = Object.fromEntries(
  clientFieldEntries
    .filter(([, { fixed, hidden }]) => !fixed && !hidden)
    .map(([name, field]) => [name, optionOf(name, field)]),
) as OptionsOf<Pick<ClientToCreate, Exclude<ClientFieldName, SwitchName>>>

const removableFields = Object.fromEntries(
  clientFieldEntries.filter(([, { column }]) => column === undefined),
)

/** Replaces empty fields with null, which removes them. @param removable the fields that can be removed */
export function removeEmpty<Values extends object>(
  values: Values,
  removable: object = removableFields,
): Values {
  const sent = Object.entries(values).map(([name, value]) => [
    name,
    name in removable && isEmpty(value) ? null : value,
  ])
  return Object.fromEntries(sent)
}

function optionOf(name: ClientFieldName, field: ClientField): Option {
  const flags = field.flags ?? `--${name.replaceAll('_', '-')} <${placeholderOf(field)}>`
  const description = field.description.replaceAll('`', '')
  if (['texts', 'urls', 'redirects', 'grants'].includes(field.kind))
    return repeated(flags, `${description} May be repeated.`)
  if (field.kind === 'roles')
    return new Option(flags, `${description} May be repeated.`).argParser(
      (text: string, before: unknown[] = []) => [...before, text && roleFrom(text)],
    )
  const option = new Option(flags, description)
  if (field.kind === 'keys') return option.argParser(keySetFrom)
  if (field.kind === 'boolean') return option.argParser(booleanOrNothing)
  return field.kind === 'integer' ? option.argParser(numberOrNothing) : option
}

/** Reads `resource=role`. An identifier may have equals signs, too. @throws InvalidArgumentError when one is missing */
function roleFrom(text: string) {
  const [, resource, role] = /^(.+)=([^=]+)$/.exec(text) ?? []
  if (resource && role) return { resource, role }
  throw new InvalidArgumentError('must be the identifier of a resource server, "=" and a role')
}

/** Reads a JSON Web Key Set. @throws InvalidArgumentError for a text that is no JSON object */
function keySetFrom(text: string): unknown {
  if (text === '') return text
  try {
    const set: unknown = JSON.parse(text)
    if (typeof set === 'object' && set !== null) return set
  } catch {
    // The parser's message would quote it.
  }
  throw new InvalidArgumentError('must be a JSON Web Key Set; a key in a file is added by "clients keys add"')
}

function placeholderOf(field: ClientField): string {
  if (field.kind === 'boolean') return 'true|false'
  if (field.kind === 'choice') return field.choices.join('|')
  if (field.kind === 'keys') return 'json'
  return 'unit' in field ? field.unit : field.kind.replace(/s$/, '')
}

function booleanOrNothing(text: string): boolean | '' {
  if (text === '') return ''
  if (text === 'true' || text === 'false') return text === 'true'
  throw new InvalidArgumentError('must be true or false')
}

function numberOrNothing(text: string): number | '' {
  return text === '' ? '' : wholeNumber(text)
}

function isEmpty(value: unknown): boolean {
  return value === '' || (Array.isArray(value) && value.every((text) => text === ''))
}
