import { type ClientField, clientFieldEntries } from '@gatehouse/proto/client-metadata'

/** A field of the table in a form: a list has a line for each of its texts. */
export type MetadataInput = {
  name: string
  label: string
  description: string
  kind: ClientField['kind']
  /** Of a number; empty: it has none. */
  unit: string
  value: string
}

/** The fields of the table as a form has them. */
export function metadataInputs(metadata: Readonly<Record<string, unknown>>): MetadataInput[] {
  return clientFieldEntries.map(([name, field]) => {
    const { label, description, kind } = field
    const value = metadata[name] ?? ''
    const unit = 'unit' in field ? field.unit : ''
    const text = Array.isArray(value) ? value.join('\n') : String(value)
    return { name, label, description, kind, unit, value: text }
  })
}

/** What a form says of the fields of the table; null: empty. What is not a number stays a text, which the registry refuses. */
export function metadataFrom(form: Readonly<Record<string, string>>): Record<string, unknown> {
  const values = clientFieldEntries.map(([name, { kind }]) => {
    const text = (form[name] ?? '').trim()
    if (text === '') return [name, null]
    if (kind === 'texts') return [name, text.split(/\s*\n\s*/)]
    return [name, kind === 'integer' && /^\d{1,15}$/.test(text) ? Number(text) : text]
  })
  return Object.fromEntries(values)
}
