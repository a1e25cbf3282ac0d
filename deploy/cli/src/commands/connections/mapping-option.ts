import type { MappingRule } from '@gatehouse/admin-api/generated/openapi'
import { InvalidArgumentError, Option } from 'commander'

/** The option for a rule of a mapping. It may be repeated, and an empty text stands for no rules. */
export const mappingOption = new Option(
  '--map <rule>',
  'a rule of the mapping: "claim -> attribute name", "claim=value -> group name" or "claim=value -> role resource=role"; may be repeated, and those that are not named are removed; an empty text for none',
).argParser((text: string, before: MappingRule[] = []) => (text === '' ? before : [...before, ruleIn(text)]))

/** Reads a rule. @throws InvalidArgumentError for a text that is none */
export function ruleIn(text: string): MappingRule {
  const [, source = '', kind, name = ''] = /^(.+?)\s*->\s*(attribute|group|role)\s+(.+)$/.exec(text) ?? []
  // A value may have equals signs, too.
  const [, claim = source, value] = /^([^=]+)=(.*)$/.exec(source) ?? []
  if (kind === 'attribute' && value === undefined && claim !== '') return { claim, to: { attribute: name } }
  if (kind === 'group' && value !== undefined) return { claim, value, to: { group: name } }
  const [, resource, role] = /^(.+)=([^=]+)$/.exec(name) ?? []
  if (kind === 'role' && value !== undefined && resource && role)
    return { claim, value, to: { resource, role } }
  throw new InvalidArgumentError(
    'must be "claim -> attribute name", "claim=value -> group name" or "claim=value -> role resource=role"',
  )
}

/** A rule as the option takes it. */
export function ruleText({ claim, value, to: { attribute, group, resource, role } }: MappingRule): string {
  const source = value === undefined ? claim : `${claim}=${value}`
  if (attribute !== undefined) return `${source} -> attribute ${attribute}`
  return group === undefined ? `${source} -> role ${resource}=${role}` : `${source} -> group ${group}`
}
