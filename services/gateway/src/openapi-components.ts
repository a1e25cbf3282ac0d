import { isDeepStrictEqual } from 'node:util'
import { uncheckedPrefix } from '@gatehouse/http/schemas'
import { http } from '@gatehouse/kit/node-http'

type Json = { [name: string]: unknown }
type Body = { required?: boolean; content?: { 'application/json'?: { schema?: Json } } }
type Operation = { requestBody?: Body }
type Document = { paths?: object; components?: object }

const methods = new Set(['get', 'put', 'post', 'delete', 'patch'])

/**
 * Moves repeated parts of an OpenAPI document to `components`: every schema of an object with a title, and the commonest error of each
 * HTTP status.
 * @returns the given document, changed
 * @throws Error when two schemas have the same title
 */
export function nameComponents<Given extends Document>(document: Given): Given {
  const schemas: Json = {}
  markOptionalBodies(document.paths as Record<string, Record<string, Operation>>)
  document.paths = nameSchemas(document.paths, schemas) as object
  const responses = nameResponses(document.paths as Record<string, Json>)
  document.components = {
    ...document.components,
    schemas: sorted(schemas),
    responses: sorted(responses),
  }
  return document
}

/** Fastify's plug-in calls every body required. */
function markOptionalBodies(paths: Record<string, Record<string, Operation>>): void {
  for (const { requestBody } of Object.values(paths).flatMap((item) => Object.values(item))) {
    const schema = requestBody?.content?.['application/json']?.schema
    if (requestBody === undefined || !schema?.optionalBody) continue
    delete schema.optionalBody
    requestBody.required = false
  }
}

/** @returns the value, with references in place of the schemas of objects that have a title */
function nameSchemas(value: unknown, schemas: Json): unknown {
  if (Array.isArray(value)) return value.map((item) => nameSchemas(item, schemas))
  if (typeof value !== 'object' || value === null) return value
  const named = Object.fromEntries(
    // Examples contain no schemas.
    Object.entries(value).map(([name, inner]) => [
      name.startsWith(uncheckedPrefix) ? name.slice(uncheckedPrefix.length) : name,
      name === 'examples' || name === 'example' ? inner : nameSchemas(inner, schemas),
    ]),
  )
  // An answer's example is beside its schema already.
  const { title, examples: _examples, ...schema } = named
  if (typeof title !== 'string' || schema.type !== 'object') return named
  const known = schemas[title] as Json | undefined
  if (known !== undefined && !isDeepStrictEqual(known, schema))
    throw new Error(`two schemas have the title ${title}`)
  schemas[title] = schema
  return { $ref: `#/components/schemas/${title}` }
}

/** Replaces the commonest error of each status with a reference when it occurs more than once. */
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
    const name = (http.STATUS_CODES[status] ?? status).replaceAll(/\W/g, '')
    components[name] = JSON.parse(commonest[0]?.written ?? '')
    for (const { replace } of commonest) replace(`#/components/responses/${name}`)
  }
  return components
}

const sorted = (named: Json): Json =>
  Object.fromEntries(Object.entries(named).sort(([one], [other]) => (one < other ? -1 : 1)))
