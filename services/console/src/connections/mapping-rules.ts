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

/** The rules of a connection, whose fields the API writes in an order of its own. */
export function storedRules(rules: readonly MappingRule[]): MappingRule[] {
  return rules.map((rule) => withTexts(rule, (text) => text))
}

/** The rules that have something in them, as they are sent. */
export function filledRules(rules: readonly MappingRule[]): MappingRule[] {
  return rules
    .map((rule) => withTexts(rule, (text) => text.trim()))
    .filter(({ claim, value = '', to }) => [claim, value, ...Object.values(to)].some((text) => text !== ''))
}

/** A rule with other texts. Its fields always have the same order, since rules are compared as text. */
function withTexts(
  { claim, value, to: { attribute, group, resource, role } }: MappingRule,
  change: (text: string) => string,
): MappingRule {
  return {
    claim: change(claim),
    ...(value !== undefined && { value: change(value) }),
    to: {
      ...(attribute !== undefined && { attribute: change(attribute) }),
      ...(group !== undefined && { group: change(group) }),
      ...(resource !== undefined && { resource, role: role ?? '' }),
    },
  }
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
