import type { UserToCreate } from '@gatehouse/admin-api/generated/openapi'
import {
  type UserAttribute,
  type UserAttributeName,
  userAttributeEntries,
} from '@gatehouse/proto/people/user-attributes'
import { Option } from 'commander'
import type { OptionsOf } from './command.ts'
import { CommandFailure, exitCodes } from './failure.ts'

/** An option for each attribute of a user. */
export const attributeOptions = Object.fromEntries(
  userAttributeEntries.map(([name, attribute]) => [name, optionOf(name, attribute)]),
) as OptionsOf<Pick<UserToCreate, UserAttributeName>>

function optionOf(name: UserAttributeName, { kind, description }: UserAttribute): Option {
  const words = name.replaceAll('_', '-')
  if (kind !== 'boolean') return new Option(`--${words} <${kind}>`, description)
  return new Option(`--${words} <true|false>`, description).argParser(trueOrFalse)
}

/** Reads an option that is true or false. @throws CommandFailure for anything else */
export function trueOrFalse(text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true'
  throw new CommandFailure(`"${text}" must be true or false.`, exitCodes.usage)
}
