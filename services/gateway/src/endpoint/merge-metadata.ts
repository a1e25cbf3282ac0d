import { onlyWhere } from '@gatehouse/http/schemas'
import type { Presence } from '@gatehouse/proto/profiles'
import { Type } from '@gatehouse/proto/typebox'
import type { Endpoint } from './endpoint.ts'
import type { MetadataField, MetadataFields } from './metadata.ts'

/**
 * Merges the fields that endpoints tell. Those of an endpoint that is not everywhere say where they are, and have no value elsewhere.
 * @param needs what the endpoints need
 * @throws Error when two endpoints tell the same field
 */
export function metadataOf<Needs>(endpoints: readonly Endpoint<Needs>[], needs: Needs): MetadataFields {
  const merged: Record<string, MetadataField> = {}
  for (const { name: endpoint, part, metadata } of endpoints) {
    for (const [name, field] of Object.entries(metadata?.(needs) ?? {})) {
      if (Object.hasOwn(merged, name)) throw new Error(`${endpoint}: ${name} is told already`)
      merged[name] = part === undefined ? field : partial(field, part.presence, part.on(needs) === true)
    }
  }
  return merged
}

function partial({ schema, value }: MetadataField, presence: Presence, on: boolean): MetadataField {
  const described = { ...schema, ...onlyWhere(presence, (schema as { description?: string }).description) }
  return { schema: Type.Optional(Type.Unsafe(described)), value: on ? value : undefined }
}
