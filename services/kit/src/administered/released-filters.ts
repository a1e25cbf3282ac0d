import { type Administered, inCamelCase } from '@gatehouse/proto/administered/administered'

// The filters of lists that the last release knows are fields of their own in the messages. While an upgrade is rolled out, its
// processes send and read those alone. Both functions go with it.

/** The values of filters as the last release reads them. */
export function filtersForLastRelease(
  { filters }: Pick<Administered, 'filters'>,
  values: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries(Object.keys(filters).map((name) => [inCamelCase(name), values[name]]))
}

/** The value of a filter as the last release sends it; undefined where it is not set. */
export function filterOfLastRelease(request: object, name: keyof Administered['filters']): unknown {
  return (request as Readonly<Record<string, unknown>>)[inCamelCase(name)]
}
