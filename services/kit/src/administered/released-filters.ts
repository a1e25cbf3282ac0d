import { type Administered, inCamelCase } from '@gatehouse/proto/administered/administered'

// The filters of lists that the last release knows are fields of their own in the messages. While an upgrade is rolled out, its
// processes send and read those alone. Both functions go with it.

/** The values of filters as the last release reads them; texts that are not set are empty. */
export function filtersForLastRelease(
  { filters }: Pick<Administered, 'filters'>,
  values: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(filters).map(([name, { schema }]) => {
      const unset = 'type' in schema && schema.type === 'boolean' ? undefined : ''
      return [inCamelCase(name), values[name] ?? unset]
    }),
  )
}

/** The value of a filter as the last release sends it; undefined where it is not set. */
export function filterOfLastRelease(request: object, name: keyof Administered['filters']): unknown {
  const value = (request as Readonly<Record<string, unknown>>)[inCamelCase(name)]
  return value === '' ? undefined : value
}
