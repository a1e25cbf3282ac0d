import { STATUS_CODES } from 'node:http'
import { isDeepStrictEqual } from 'node:util'
import { uncheckedPrefix } from '@gatehouse/http/schemas'

type Json = { [name: string]: unknown }
type Document = { paths?: object; components?: object }

const methods = new Set(['get', 'put', 'post', 'delete', 'patch'])

/**
 * Writes what stands in several places of an OpenAPI document once, under `components`: every schema with a title by that
 * title, and of each HTTP status the commonest error.
 * @returns the document; the one that is given is changed
 * @throws Error where two schemas have one title
 */
export function nameComponents<Given extends Document>(document: Given): Given {
  const schemas: Json = {}
  document.paths = nameSchemas(document.paths, schemas) as object
  const responses = nameResponses(document.paths as Record<string, Json>)
  document.components = {
    ...document.components,
    schemas: sorted(schemas),
    responses: sorted(responses),
  }
  return document
}

/** @returns the value with references for the schemas in it that have a title */
function nameSchemas(value: unknown, schemas: Json): unknown {
  if (Array.isArray(value)) return value.map((item) => nameSchemas(item, schemas))
  if (typeof value !== 'object' || value === null) return value
  const named = Object.fromEntries(
    // What an example shows is no schema.
    Object.entries(value).map(([name, inner]) => [
      name.startsWith(uncheckedPrefix) ? name.slice(uncheckedPrefix.length) : name,
      name === 'examples' || name === 'example' ? inner : nameSchemas(inner, schemas),
    ]),
  )
  // The example of an answer stands beside its schema.
  const { title, examples: _examples, ...schema } = named
  if (typeof title !== 'string') return named
  const known = schemas[title] as Json | undefined
  if (known !== undefined && !isDeepStrictEqual(known, schema))
    throw new Error(`two schemas have the title ${title}`)
  schemas[title] = schema
  return { $ref: `#/components/schemas/${title}` }
}

/** Replaces the commonest error of each status by a reference, where there are several of it. */
function nameResponses(paths: Record<string, Json>): Json {
  const operations = Object.values(paths).flatMap((item) =>
    Object.entries(item).flatMap(([method, operation]) => (methods.has(method) ? [operation as Json] : [])),
  )
  const places = operations.flatMap(({ responses }) =>
    Object.entries(responses as Json).map(([status, response]) => ({
      status,
      written: JSON.stringify(response),
      replace: ($ref: string) => Object.assign(responses as Json, { [status]: { $ref } }),
    })),
  )
  const components: Json = {}
  const errors = places.filter(({ status }) => status >= '400')
  for (const [status, ofStatus] of Map.groupBy(errors, ({ status }) => status)) {
    const alike = [...Map.groupBy(ofStatus, ({ written }) => written).values()]
    const commonest = alike.reduce((most, group) => (group.length > most.length ? group : most))
    if (commonest.length < 2) continue
    const name = (STATUS_CODES[status] ?? status).replaceAll(/\W/g, '')
    components[name] = JSON.parse(commonest[0]?.written ?? '')
    for (const { replace } of commonest) replace(`#/components/responses/${name}`)
  }
  return components
}

const sorted = (named: Json): Json =>
  Object.fromEntries(Object.entries(named).sort(([one], [other]) => (one < other ? -1 : 1)))
