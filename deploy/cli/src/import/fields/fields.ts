/** An object of a foreign file. */
export type Foreign = Readonly<Record<string, unknown>>

/**
 * The treatment of a field of another system that is set.
 * - `kept`: the reader takes it, and says itself what it cannot. A value of another shape than the named one might be a restriction that
 *   nobody can read: so the item is disabled.
 * - `unneeded`: it means nothing outside of the system that wrote it. The report lists its name apart.
 * - `means`: it is left out; a sentence says what that means for people.
 * - `holds`: it restricts, in a way that cannot be kept: so the item is disabled, and a sentence says why.
 */
export type Treatment =
  | 'kept'
  | { readonly kept: Shape }
  | 'unneeded'
  | { readonly means: string; readonly unless?: readonly unknown[] }
  | { readonly holds: string; readonly unless?: readonly unknown[] }

const shapes = {
  'true or false': (value: unknown) => typeof value === 'boolean',
  'a text': (value: unknown) => typeof value === 'string',
  'a number': (value: unknown) => typeof value === 'number',
  'a list of texts': (value: unknown) => isListOf(value, (member) => typeof member === 'string'),
  'a list of objects': (value: unknown) => isListOf(value, (member) => typeof member === 'object'),
  'an object': (value: unknown) => typeof value === 'object' && !Array.isArray(value),
}
/** A kind of JSON value, in words. */
type Shape = keyof typeof shapes

/** The entries of a table for fields that are kept. */
export function kept(shape: Shape, ...names: readonly string[]): FieldTable {
  return Object.fromEntries(names.map((name) => [name, { kept: shape }]))
}

const isListOf = (value: unknown, isMember: (member: unknown) => boolean) =>
  Array.isArray(value) && value.every((member) => saysNothing(member) || isMember(member))

/** The known fields of a kind of object. `unless` has values that change nothing, besides those that say nothing. */
export type FieldTable = Readonly<Record<string, Treatment>>

/** The fields that were found in an object. */
export type Findings = {
  /** Sentences about what was left out, each with the field's name. */
  notes: string[]
  /** Sentences about restrictions because of which the item is disabled. */
  holds: string[]
  /** The names of fields that are set and mean nothing here. */
  unneeded: string[]
}

/** Findings without anything. */
export const nothingFound = (): Findings => ({ notes: [], holds: [], unneeded: [] })

/**
 * Goes through every field of an object that is set, so that none is dropped unnamed.
 * @param table the known fields; any other one is named as unknown
 * @param findings the findings so far, to which those about this object are added
 * @param prefix the text before the names, such as `attributes.`
 */
export function goThrough(object: Foreign, table: FieldTable, findings: Findings, prefix = ''): void {
  for (const [field, value] of Object.entries(object)) {
    const name = prefix + shown(field)
    const treatment = Object.hasOwn(table, field) ? table[field] : undefined
    if (treatment === 'kept' || saysNothing(value)) continue
    if (treatment === undefined) {
      if (isOff(value)) findings.unneeded.push(name)
      else findings.notes.push(`${name} is not known here, and left out.`)
    } else if (treatment !== 'unneeded' && 'kept' in treatment) {
      if (!shapes[treatment.kept](value))
        findings.holds.push(`${name}: its value is not ${treatment.kept}, so it cannot be read.`)
    } else if (treatment === 'unneeded') findings.unneeded.push(name)
    else if ((treatment.unless ?? offValues).includes(value)) findings.unneeded.push(name)
    else if ('holds' in treatment) findings.holds.push(`${name}: ${treatment.holds}`)
    else findings.notes.push(`${name}: ${treatment.means}`)
  }
}

/** Whether a value says nothing: it is as if the field were absent. */
function saysNothing(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true
  if (Array.isArray(value)) return value.every(saysNothing)
  return typeof value === 'object' && Object.values(value).every(saysNothing)
}

const offValues: readonly unknown[] = [false, 'false', 0, '0', '[]', '{}', 'null']
const isOff = (value: unknown) => offValues.includes(value)

/** Whether a field is set. */
export const isSet = (value: unknown): boolean => !saysNothing(value)

/** The sentences for the report, first why the item is disabled. */
export function noteOf({ notes, holds }: Findings): string {
  const why =
    holds.length === 0
      ? []
      : ['Disabled, because a restriction cannot be kept. Enable it when that is right.']
  return [...why, ...holds, ...notes].join(' ')
}

/** A name or value of a file, short and on one line. */
export function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  const line = text.replaceAll(/\p{C}/gu, '?')
  return line.length > 100 ? `${line.slice(0, 100)}…` : line
}

/** A text that is not empty. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** The texts of a list. */
export function textsOf(values: unknown): string[] {
  return (Array.isArray(values) ? values : []).flatMap((value) => textOf(value) ?? [])
}

/** The objects of a list. */
export function objectsOf(values: unknown): Foreign[] {
  return (Array.isArray(values) ? values : []).map((value): Foreign => Object(value))
}
