import { type ClientField, clientFieldEntries } from '@gatehouse/proto/client-metadata'

/** A field of the client metadata in a form. A list is a text with one item on a line. */
export type MetadataInput = {
  name: string
  label: string
  description: string
  kind: ClientField['kind']
  /** The unit of a number; empty when it has none. */
  unit: string
  value: string
  /** The values to choose from; empty for a text. */
  choices: readonly string[]
}

/** Turns client metadata into fields of a form. */
export function metadataInputs(metadata: Readonly<Record<string, unknown>>): MetadataInput[] {
  return clientFieldEntries.map(([name, field]) => {
    const { label, description, kind } = field
    const value = metadata[name] ?? ''
    const unit = 'unit' in field ? field.unit : ''
    const text = Array.isArray(value) ? value.join('\n') : String(value)
    return { name, label, description, kind, unit, value: text, choices: choicesOf(field) }
  })
}

/**
 * Reads client metadata from a form; null for an empty field. A number that cannot be read stays a text, which the client
 * registry refuses.
 */
export function metadataFrom(form: Readonly<Record<string, string>>): Record<string, unknown> {
  const values = clientFieldEntries.map(([name, { kind }]) => {
    const text = (form[name] ?? '').trim()
    if (text === '') return [name, null]
    if (kind === 'texts' || kind === 'urls') return [name, text.split(/\s*\n\s*/)]
    if (kind === 'boolean' && (text === 'true' || text === 'false')) return [name, text === 'true']
    return [name, kind === 'integer' && /^\d{1,15}$/.test(text) ? Number(text) : text]
  })
  return Object.fromEntries(values)
}

function choicesOf(field: ClientField): readonly string[] {
  if (field.kind === 'boolean') return ['true', 'false']
  return field.kind === 'choice' ? field.choices : []
}
