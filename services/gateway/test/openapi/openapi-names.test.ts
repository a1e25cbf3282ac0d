import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const {
  paths,
  components,
}: { paths: Record<string, Record<string, { operationId?: string }>>; components: { schemas: object } } =
  JSON.parse(readFileSync(join(import.meta.dirname, '../../../../docs/reference/openapi.json'), 'utf8'))
const schemas = Object.keys(components.schemas)

/** The classes of JavaScript, which generated TypeScript would hide. */
const ofJavaScript = Object.getOwnPropertyNames(globalThis).filter((name) => /^[A-Z]/.test(name))
/** Names that generators for Go, Java, Python, C#, Swift and Rust take for their own, or for the language's. */
const ofGenerators =
  'Client ClientInterface ClientOption ClientWithResponses ClientWithResponsesInterface RequestEditorFn HttpRequestDoer ServerInterface ' +
  'APIClient ApiClient APIKey APIResponse ApiResponse ApiException ApiError BasicAuth Configuration ServerConfiguration GenericOpenAPIError ' +
  'Any Attribute Box Class Data Exception File Integer List Module None Object Option Optional Package Process Record Result Runtime ' +
  'Self String System Task Thread Type Until Vec Version Void'

test('no schema has a name that generators of clients take for their own', () => {
  const taken = new Set([...ofJavaScript, ...ofGenerators.split(' ')])
  expect(schemas.filter((name) => taken.has(name))).toEqual([])
})

test.each(['New', 'Nullable', 'Default'])('no schema is called %s and the name of another', (prefix) => {
  // Go: NewClient is what creates a Client.
  expect(schemas.filter((name) => schemas.includes(`${prefix}${name}`))).toEqual([])
})

test('no schema is called as the types of an operation', () => {
  const operations = Object.values(paths)
    .flatMap((path) => Object.values(path))
    .flatMap(({ operationId = '' }) => operationId.charAt(0).toUpperCase() + operationId.slice(1))
  const suffixes = [
    '',
    'Request',
    'Response',
    'Params',
    'Body',
    'JSONBody',
    'JSONRequestBody',
    'FormdataRequestBody',
  ]
  const taken = new Set(operations.flatMap((operation) => suffixes.map((suffix) => operation + suffix)))
  expect(schemas.filter((name) => taken.has(name))).toEqual([])
})

test('no schema is called as a file of tests in Go', () => {
  expect(schemas.filter((name) => name.endsWith('Test'))).toEqual([])
})
