/** A field that an action changed, as text; undefined where it has no value. */
export type Difference = { field: string; before: string | undefined; after: string | undefined }

type Fields = Readonly<Record<string, unknown>>

/** The fields that differ before and after an action. */
export function differencesOf(before: Fields = {}, after: Fields = {}): Difference[] {
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()
  return fields
    .map((field) => ({ field, before: textOf(before[field]), after: textOf(after[field]) }))
    .filter((difference) => difference.before !== difference.after)
}

/** A value as people read it: one line for each item of a list. */
function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return undefined
  if (Array.isArray(value)) return value.map(textOf).join('\n') || undefined
  return typeof value === 'object' ? JSON.stringify(value, undefined, 2) : String(value)
}
