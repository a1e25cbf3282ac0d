import { isDeepStrictEqual } from 'node:util'
import { CommandFailure, exitCodes } from '../failure.ts'
import type { FieldRule, Fields, Kind } from './kind.ts'

/** A field that differs. */
export type Difference = { field: string; before: unknown; after: unknown }

/** The step after which an object is as it is declared. */
export type Step = { kind: Kind; key: string } & (
  | { action: 'create'; body: Fields; afterwards: Fields }
  | { action: 'update'; existing: Fields; body: Fields; differences: Difference[] }
  | { action: 'delete'; existing: Fields }
)

/**
 * Finds the step after which an object is as it is declared.
 * @param existing undefined when there is no such object
 * @returns undefined when there is nothing to do
 * @throws CommandFailure for a field that cannot change any more
 */
export function stepFor(kind: Kind, declared: Fields, existing: Fields | undefined): Step | undefined {
  const key = String(declared[kind.key])
  const fields = Object.entries(kind.fields)
  const wanted = (name: string, { absent }: FieldRule) =>
    name in declared ? declared[name] : absent?.(declared)
  if (existing === undefined) {
    const values = (only: FieldRule['only']) =>
      fields
        .filter(([name, rule]) => rule.only !== only && wanted(name, rule) !== undefined)
        .map(([name, rule]) => [name, wanted(name, rule)] as const)
    const body = { [kind.key]: key, ...Object.fromEntries(values('when changed')) }
    // A new object has these fields as if they were absent, so only other values need a change.
    const afterwards = values('when created').filter(
      ([name, value]) =>
        kind.fields[name]?.only === 'when changed' && value !== kind.fields[name]?.absent?.(declared),
    )
    return { kind, key, action: 'create', body, afterwards: Object.fromEntries(afterwards) }
  }
  const differences = fields.flatMap(([name, rule]): Difference[] => {
    const kept = rule.secret || !(name in declared || rule.absent)
    const [before, after] = [existing[name], wanted(name, rule)]
    return kept || isSame(before, after, rule) ? [] : [{ field: name, before, after }]
  })
  if (differences.length === 0) return undefined
  const fixed = differences.find(({ field }) => kind.fields[field]?.only === 'when created')
  if (fixed)
    throw new CommandFailure(
      `The field ${fixed.field} of the ${kind.name} ${key} cannot change. Delete the ${kind.name} first.`,
      exitCodes.usage,
    )
  const body = differences.map(({ field, after }) => [field, after ?? kind.fields[field]?.removed])
  return { kind, key, action: 'update', existing, body: Object.fromEntries(body), differences }
}

/** A step in words, with a line for each field that changes. */
export function stepText(step: Step): string {
  const name = `${step.kind.name} ${step.key}`
  if (step.action === 'create') return `+ ${name}`
  if (step.action === 'delete') return `- ${name}`
  return [
    `~ ${name}`,
    ...step.differences.map(({ field, before, after }) => `    ${field}: ${shown(before)} → ${shown(after)}`),
  ].join('\n')
}

function shown(value: unknown): string {
  return value === undefined ? '-' : JSON.stringify(value)
}

function isSame(before: unknown, after: unknown, { unordered }: FieldRule): boolean {
  return isDeepStrictEqual(unordered ? sorted(before) : before, unordered ? sorted(after) : after)
}

function sorted(value: unknown): unknown {
  const entries = typeof value === 'string' ? value.split(' ').filter((word) => word !== '') : value
  return Array.isArray(entries) ? entries.map((entry) => JSON.stringify(entry)).sort() : value
}
