import type { DescribedList, ValueKind } from './src/list/described-list.ts'

type Schema = {
  $ref?: string
  type?: string
  format?: string
  enum?: readonly string[]
  items?: Schema
  properties?: Readonly<Record<string, Schema>>
}
type Operation = {
  parameters?: readonly { name: string; schema: Schema }[]
  responses: Readonly<Record<string, { content?: Readonly<Record<string, { schema: Schema }>> }>>
  'x-gatehouse-list'?: { columns: readonly { name: string; hidden: boolean }[]; filters: readonly string[] }
}
type Document = {
  paths: Readonly<Record<string, { get?: Operation }>>
  components: { schemas: Readonly<Record<string, Schema>> }
}

/**
 * The lists of the API that describe themselves, by path.
 * @param document the OpenAPI document
 */
export function listsOf({ paths, components }: Document): Record<string, DescribedList> {
  const resolved = (schema: Schema = {}): Schema =>
    schema.$ref ? resolved(components.schemas[schema.$ref.replace('#/components/schemas/', '')]) : schema

  function described({ parameters = [], responses, 'x-gatehouse-list': list }: Operation) {
    if (list === undefined) return undefined
    const answer = resolved(responses[200]?.content?.['application/json']?.schema)
    const { properties = {} } = resolved(resolved(answer.properties?.items).items)
    const parameter = (name: string) => resolved(parameters.find((one) => one.name === name)?.schema)
    return {
      sorts: parameter('sort').enum ?? [],
      columns: list.columns.map((column) => ({ ...column, kind: kindOf(resolved(properties[column.name])) })),
      filters: list.filters.map((name) => {
        const { type, enum: values } = parameter(name)
        return { name, values: type === 'boolean' ? ['true', 'false'] : values }
      }),
    }
  }
  const lists = Object.entries(paths).flatMap(([path, { get }]) => {
    const list = get && described(get)
    return list ? [[path, list]] : []
  })
  return Object.fromEntries(lists)
}

function kindOf({ type, format }: Schema): ValueKind {
  if (format === 'date-time') return 'moment'
  if (type === 'boolean') return 'boolean'
  return type === 'array' ? 'texts' : 'text'
}
