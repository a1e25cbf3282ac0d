import { isDeepStrictEqual } from 'node:util'
import { CommandFailure, exitCodes } from '../failure.ts'
import { type FieldRule, type Fields, type Kind, nameOf } from './kind.ts'

/** A field that differs. */
export type Difference = { field: string; before: unknown; after: unknown }

/** The step after which an object is as it is declared. Its key is the name of the object among all of its kind. */
export type Step = { kind: Kind; key: string } & (
  | { action: 'create'; body: Fields; afterwards: Fields }
  | { action: 'update'; existing: Fields; body: Fields; differences: Difference[] }
  | { action: 'delete'; existing: Fields }
)

/**
 * Finds the steps after which an object is as it is declared.
 * @param existing undefined when there is no such object
 * @returns none when there is nothing to do; `later` are those for which the objects of all other declarations must exist
 * @throws CommandFailure for a field that cannot change any more
 */
export function stepsFor(
  kind: Kind,
  declared: Fields,
  existing: Fields | undefined,
): { steps: Step[]; later: Step[] } {
  const key = nameOf(kind, declared)
  const differing = differencesOf(kind, declared, existing)
  const [differences, last] = split(differing, ({ field }) => kind.fields[field]?.last !== true)
  const updateOf = (some: readonly Difference[], of: Fields): Step[] => {
    const body = some.map(({ field, after }) => [field, after ?? kind.fields[field]?.removed])
    body.push(...secretsWith(kind, declared, some))
    const step = { kind, key, existing: of, body: Object.fromEntries(body), differences: [...some] }
    return some.length === 0 ? [] : [{ action: 'update', ...step }]
  }
  if (existing === undefined)
    return {
      steps: [creationOf(kind, key, declared)],
      later: updateOf(last, { [kind.key]: declared[kind.key] }),
    }
  const fixed = differences.find(({ field }) => kind.fields[field]?.only === 'when created')
  if (fixed)
    throw new CommandFailure(
      `The field ${fixed.field} of the ${kind.name} ${key} cannot change. Delete the ${kind.name} first.`,
      exitCodes.usage,
    )
  // The first step gives it a new revision.
  const after = differences.length === 0 ? existing : { ...existing, revision: undefined }
  return { steps: updateOf(differences, existing), later: updateOf(last, after) }
}

function creationOf(kind: Kind, key: string, declared: Fields): Step {
  const values = (only: FieldRule['only']) =>
    Object.entries(kind.fields)
      .filter(
        ([name, rule]) => rule.only !== only && !rule.last && wanted(declared, name, rule) !== undefined,
      )
      .map(([name, rule]) => [name, wanted(declared, name, rule)] as const)
  const body = { [kind.key]: declared[kind.key], ...Object.fromEntries(values('when changed')) }
  // A new object has these fields as if they were absent, so only other values need a change.
  const afterwards = values('when created').filter(
    ([name, value]) =>
      kind.fields[name]?.only === 'when changed' && value !== kind.fields[name]?.absent?.(declared),
  )
  return { kind, key, action: 'create', body, afterwards: Object.fromEntries(afterwards) }
}

function differencesOf({ fields }: Kind, declared: Fields, existing: Fields | undefined): Difference[] {
  return Object.entries(fields).flatMap(([name, rule]) => {
    const kept = rule.secret || !(name in declared || rule.absent)
    const [before, after] = [existing?.[name], wanted(declared, name, rule)]
    return kept || isSame(before, after, rule) ? [] : [{ field: name, before, after }]
  })
}

function wanted(declared: Fields, name: string, { absent, entry }: FieldRule): unknown {
  const value = name in declared ? declared[name] : absent?.(declared)
  if (entry === undefined || !Array.isArray(value)) return value
  return value.map((one) => (isObject(one) ? { ...entry, ...one } : one))
}

/** The secrets that a change needs again. */
function secretsWith(
  { fields }: Kind,
  declared: Fields,
  changed: readonly Difference[],
): [string, unknown][] {
  return Object.entries(fields)
    .filter(
      ([name, { sentWith = [] }]) =>
        name in declared && changed.some(({ field }) => sentWith.includes(field)),
    )
    .map(([name]) => [name, declared[name]])
}

function split<Item>(items: readonly Item[], isFirst: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))]
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
  const textOf = (entry: unknown) => JSON.stringify(isObject(entry) ? Object.entries(entry).sort() : entry)
  return Array.isArray(entries) ? entries.map(textOf).sort() : value
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
