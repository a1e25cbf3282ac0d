/** The schemas of the OpenAPI document that forms are made of. */
export const formSchemaNames = [
  'ClientToCreate',
  'ClientChange',
  'ResourceServerToCreate',
  'ResourceServerChange',
  'UserToCreate',
  'UserChange',
  'Invitation',
  'GroupToCreate',
  'GroupChange',
  'OrganizationToCreate',
  'OrganizationChange',
  'MemberInvitation',
  'ConnectionToCreate',
  'ConnectionChange',
] as const

/** A field of a schema, as the OpenAPI document has it. */
type Field = { title?: string; description?: string }
type Schema = { properties: Record<string, Field>; required?: readonly string[] }

/**
 * The schemas of the console's forms. They have no `revision`: a form sends along the one that it was opened with, and nobody types it.
 * @param document the OpenAPI document
 */
export function formSchemasOf(document: {
  components: { schemas: Readonly<Record<string, unknown>> }
}): Record<(typeof formSchemaNames)[number], Schema> {
  const withoutRevision = (name: string): Schema => {
    const schema = document.components.schemas[name] as Schema
    const { revision: _, ...properties } = schema.properties
    return { ...schema, properties }
  }
  return Object.fromEntries(formSchemaNames.map((name) => [name, withoutRevision(name)])) as ReturnType<
    typeof formSchemasOf
  >
}
