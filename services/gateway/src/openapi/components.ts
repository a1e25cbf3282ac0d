import { isDeepStrictEqual } from 'node:util'
import { uncheckedPrefix } from '@gatehouse/http/schemas'
import { http } from '@gatehouse/kit/node-http'

type Json = { [name: string]: unknown }
type Body = { required?: boolean; content?: { 'application/json'?: { schema?: Json } } }
type Operation = { requestBody?: Body; responses?: Record<string, { headers?: Record<string, Json> }> }
type Document = { paths?: object; components?: object }

const methods = new Set(['get', 'put', 'post', 'delete', 'patch'])

/**
 * Moves repeated parts of an OpenAPI document to `components`: every schema of an object with a title, the commonest form of each header,
 * and the commonest error of each HTTP status.
 * @returns the given document, changed
 * @throws Error when two schemas have the same title
 */
export function nameComponents<Given extends Document>(document: Given): Given {
  const schemas: Json = {}
  markOptionalBodies(document.paths as Record<string, Record<string, Operation>>)
  document.paths = nameSchemas(document.paths, schemas) as object
  const headers = nameHeaders(document.paths as Record<string, Record<string, Operation>>)
  const responses = nameResponses(document.paths as Record<string, Json>)
  document.components = {
    ...document.components,
    headers: sorted(headers),
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
  // A title of several words is the label of a field.
  if (typeof title !== 'string' || !/^\w+$/.test(title) || schema.type !== 'object') return named
  const known = schemas[title] as Json | undefined
  if (known !== undefined && !isDeepStrictEqual(known, schema))
    throw new Error(`two schemas have the title ${title}`)
  schemas[title] = schema
  return { $ref: `#/components/schemas/${title}` }
}

/** Replaces the commonest form of each header with a reference when it occurs more than once. */
function nameHeaders(paths: Record<string, Record<string, Operation>>): Json {
  const answers = Object.values(paths).flatMap((item) =>
    Object.values(item).flatMap(({ responses = {} }) => Object.values(responses)),
  )
  const places = answers.flatMap(({ headers = {} }) =>
    Object.entries(headers).map(([name, header]) => {
      const whole = withRequired(header)
      headers[name] = whole
      return {
        key: name,
        written: JSON.stringify(whole),
        replace: ($ref: string) => Object.assign(headers, { [name]: { $ref } }),
      }
    }),
  )
  return nameCommonest(places, 'headers', (name) => name)
}

/** Fastify's plug-in takes everything about a header for a part of its schema. */
function withRequired({ schema, ...header }: Json): Json {
  const { required, ...others } = schema as Json
  return { ...header, ...(required !== undefined && { required }), schema: others }
}

/** Replaces the commonest error of each status with a reference when it occurs more than once. */
function nameResponses(paths: Record<string, Json>): Json {
  const operations = Object.values(paths).flatMap((item) =>
    Object.entries(item).flatMap(([method, operation]) => (methods.has(method) ? [operation as Json] : [])),
  )
  const places = operations.flatMap(({ responses }) =>
    Object.entries(responses as Json).map(([status, response]) => ({
      key: status,
      written: JSON.stringify(response),
      replace: ($ref: string) => Object.assign(responses as Json, { [status]: { $ref } }),
    })),
  )
  const errors = places.filter(({ key }) => key >= '400')
  return nameCommonest(errors, 'responses', (status) =>
    (http.STATUS_CODES[status] ?? status).replaceAll(/\W/g, ''),
  )
}

/** A part of the document that may be elsewhere too. */
type Place = { key: string; written: string; replace($ref: string): unknown }

/** @returns the commonest part of each key, by its name, when it occurs more than once; its places have a reference then */
function nameCommonest(places: Place[], section: string, nameOf: (key: string) => string): Json {
  const components: Json = {}
  for (const [key, ofKey] of Map.groupBy(places, ({ key }) => key)) {
    const alike = [...Map.groupBy(ofKey, ({ written }) => written).values()]
    const commonest = alike.reduce((most, group) => (group.length > most.length ? group : most))
    if (commonest.length < 2) continue
    const name = nameOf(key)
    components[name] = JSON.parse(commonest[0]?.written ?? '')
    for (const { replace } of commonest) replace(`#/components/${section}/${name}`)
  }
  return components
}

const sorted = (named: Json): Json =>
  Object.fromEntries(Object.entries(named).sort(([one], [other]) => (one < other ? -1 : 1)))
