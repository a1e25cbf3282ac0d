import type { MappingRule } from '@gatehouse/admin-api/generated/openapi'

/** The things that a rule can give. */
export type Target = 'attribute' | 'group' | 'role'

/** The kinds of targets. */
export const targets: readonly Target[] = ['attribute', 'group', 'role']

/** The rule that is added. */
export const newRule: MappingRule = { claim: '', value: '', to: { group: '' } }

/** Reads from the fields of its target which of them a rule gives. */
export function targetOf({ to: { attribute, resource, role } }: MappingRule): Target {
  if (attribute !== undefined) return 'attribute'
  return resource === undefined && role === undefined ? 'group' : 'role'
}

/** A rule with another kind of target, of which nothing is filled in yet. */
export function withTarget({ claim, value = '' }: MappingRule, target: Target): MappingRule {
  if (target === 'attribute') return { claim, to: { attribute: '' } }
  return { claim, value, to: target === 'group' ? { group: '' } : { resource: '', role: '' } }
}

/** The rules that have something in them, as they are sent. The order of their fields is that of the API. */
export function filledRules(rules: readonly MappingRule[]): MappingRule[] {
  return rules
    .map(({ claim, value, to: { attribute, group, resource, role } }) => ({
      claim: claim.trim(),
      ...(value !== undefined && { value: value.trim() }),
      to: {
        ...(attribute !== undefined && { attribute: attribute.trim() }),
        ...(group !== undefined && { group: group.trim() }),
        ...(resource !== undefined && { resource, role: role ?? '' }),
      },
    }))
    .filter(({ claim, value = '', to }) => [claim, value, ...Object.values(to)].some((text) => text !== ''))
}

/** Whether every rule that has something in it has everything. */
export function areComplete(rules: readonly MappingRule[]): boolean {
  return filledRules(rules).every(({ claim, value, to }) =>
    [claim, value, ...Object.values(to)].every((text) => text !== ''),
  )
}

/** A rule in a line, for people. */
export function ruleText({ claim, value, to: { attribute, group, resource, role } }: MappingRule): string {
  const source = value === undefined ? claim : `${claim} = ${value}`
  return `${source} → ${attribute ?? group ?? `${resource} ${role}`}`
}

/** The rules that a change takes away, each in a line. */
export function takenRules(before: readonly MappingRule[], after: readonly MappingRule[]): string[] {
  const kept = new Set(after.map((rule) => JSON.stringify(rule)))
  return before.filter((rule) => !kept.has(JSON.stringify(rule))).map(ruleText)
}
