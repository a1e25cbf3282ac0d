import type { Connection, MappingRule } from '@gatehouse/proto/connection/v1'
import type { Group } from '@gatehouse/proto/identity/v1'
import type { RuleValues } from '../pages/contents/connection-contents.ts'
import type { Texts } from '../texts/table.ts'
import type { ProblemWords } from './problems.ts'
import { type RoleToGive, roleKey } from './roles-to-give.ts'

/** The values in the form before something is typed. */
export const noRule: RuleValues = { claim: '', value: '', target: '', attribute: '' }

type Problems = Texts['connectionMapping']['problems']

/** The words for faults of a rule, by how the identity service's sentence begins, and the field that they are about. */
const faults: readonly (readonly [begins: string, text: keyof Problems, field: keyof RuleValues])[] = [
  ['must have a claim', 'claim', 'claim'],
  ['must read another claim', 'unmappable', 'claim'],
  ['must have a value', 'value', 'value'],
  ['must have no value', 'noValue', 'value'],
  ['must name a role', 'role', 'target'],
  ['must name a resource server', 'role', 'target'],
  ['must set one of', 'target', 'target'],
  ['must name a group', 'target', 'target'],
  ['has an attribute', 'attribute', 'attribute'],
]

/** The number of a rule that the identity service refuses, from 0, and why, for people. */
export type RuleProblem = {
  index: number
  text: (texts: Texts) => string
  field: keyof RuleValues | undefined
}

/** Reads which rule a sentence of the identity service is about; undefined if it is about none. */
export function ruleProblemIn(sentence: string): RuleProblem | undefined {
  const [, number, said = ''] = /^mapping: rule (\d+) (.*)$/s.exec(sentence) ?? []
  if (number === undefined) return undefined
  const [, text, field] = faults.find(([begins]) => said.startsWith(begins)) ?? []
  return {
    index: Number(number) - 1,
    text: (t) => (text === undefined ? sentence : t.connectionMapping.problems[text]),
    field,
  }
}

/** The words for what the identity service refuses about a mapping, besides those about a connection. */
export const mappingProblems: ProblemWords = [
  ['mapping: rule ', (t, sentence) => ruleProblemIn(sentence)?.text(t) ?? sentence],
  ['mapping must have at most', (t) => t.connectionMapping.problems.tooMany],
]

/**
 * The rule that a form makes.
 * @param roles those that the organization may give; the identity service refuses a rule with any other
 */
export function ruleOf(
  { claim, value, target, attribute }: RuleValues,
  roles: readonly RoleToGive[],
): MappingRule {
  const role = roles.find((one) => target === `role:${roleKey(one)}`)
  return {
    claim,
    value: value || undefined,
    attribute: target === 'attribute' ? attribute : undefined,
    group: target.startsWith('group:') ? target.slice('group:'.length) : undefined,
    role: role && { ...role },
  }
}

/** The targets among which whoever runs an organization chooses. */
export type Targets = { groups: readonly Group[]; roles: readonly RoleToGive[] }

/** The rules of a connection in words, with what is wrong about those that give nothing any more. */
export function rulesIn({ mapping }: Connection, { groups, roles }: Targets, texts: Texts) {
  const t = texts.connectionMapping
  const names = new Set(groups.map(({ name }) => name.toLowerCase()))
  const given = new Set(roles.map(roleKey))
  return mapping.map(({ claim, value, attribute, group, role }) => {
    if (group !== undefined)
      return {
        ...{ claim, value, target: t.group, names: [group] },
        fault: names.has(group.toLowerCase()) ? undefined : t.missingGroup,
      }
    if (role !== undefined)
      return {
        ...{ claim, value, target: t.role, names: [role.role, role.resource] },
        fault: given.has(roleKey(role)) ? undefined : t.missingRole,
      }
    return { claim, value, target: t.attribute, names: [attribute ?? ''], fault: undefined }
  })
}
