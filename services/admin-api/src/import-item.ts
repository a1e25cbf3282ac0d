import { answerOf, errorBody, unchecked } from '@gatehouse/http/schemas'
import { type Static, type TObject, type TProperties, Type } from '@gatehouse/proto/typebox'
import { Compile } from '@gatehouse/proto/typebox/compile'

/** The answer to an import that is too large. */
export const importTooLarge = answerOf(
  'application/json',
  '`invalid_request`: The body is larger than 4 MiB.',
  errorBody,
)

/** The fields that every imported client and user may have. */
export function commonFields(noun: 'client' | 'user') {
  return {
    disabled: Type.Optional(Type.Boolean()),
    created_at: Type.Optional(
      Type.String({ format: 'date-time', description: `When the ${noun} was created; by default now.` }),
    ),
    source: Type.Optional(
      Type.String({
        description: `What the caller calls the ${noun}. It is not stored, only in the result.`,
      }),
    ),
  }
}

/** The field of a request that says whether it is a trial. */
export const dryRunField = {
  dry_run: Type.Optional(
    Type.Boolean({ description: 'Whether everything is only checked, and nothing stored.' }),
  ),
}

/**
 * The schema of the results of an import.
 * @param sameItem which item is the same as an imported one: `a user of this name`
 * @param fields the fields that a result has besides the outcome, the reason and the source
 */
export function resultList<Fields extends TProperties>(sameItem: string, fields: Fields) {
  return Type.Array(
    Type.Object({
      outcome: Type.Enum(['created', 'exists', 'invalid'], {
        description: `\`created\`, or with \`dry_run\` would have been; \`exists\`: ${sameItem} exists and stays unchanged; \`invalid\`: see \`reason\`.`,
      }),
      ...fields,
      reason: Type.Optional(
        Type.String({ description: 'What is invalid, was left out or is worth knowing, in words.' }),
      ),
      source: Type.Optional(Type.String({ description: 'As in the request.' })),
    }),
    { description: 'In the order of the request.' },
  )
}

/**
 * The schema of an item in a list whose items are checked one by one, by `itemReader`: it is in the OpenAPI document, but an
 * invalid item does not make the request invalid.
 */
export function checkedOneByOne(schema: TObject) {
  // TypeBox gives a schema no index signature, although it is a plain object.
  return Type.Unsafe<unknown>(unchecked(schema as unknown as Record<string, unknown>))
}

/** Creates a function that gives an item with its type, or its fault as a sentence. */
export function itemReader<Schema extends TObject>(schema: Schema) {
  const validator = Compile(schema)
  return (item: unknown): Static<Schema> | string => {
    if (validator.Check(item)) return item as Static<Schema>
    const [error] = validator.Errors(item)
    const field = error?.instancePath.slice(1).replaceAll('/', '.') ?? ''
    if (field === '') {
      const { requiredProperties: [missing] = [] } = Object(error?.params) as {
        requiredProperties?: string[]
      }
      return missing === undefined ? 'It must be a JSON object.' : `${missing} is missing.`
    }
    // The name of an unknown field may be anything, so it is not repeated.
    if (error?.keyword === 'boolean') return 'It has an unknown field.'
    return `${field} is of the wrong kind: it ${error?.message.replaceAll('"', '')}.`
  }
}

/**
 * Imports the valid items of a request.
 * @param items the results of `itemReader`: an item, or its fault as a sentence
 * @param send imports the valid ones, and gives a result for each
 * @returns a result for each item, in their order
 * @throws Error when `send` gives too few results
 */
export async function importItems<Item extends { source?: string }, Result extends object>(
  items: readonly (Item | string)[],
  send: (valid: Item[]) => Promise<readonly Result[]>,
): Promise<(Result | { outcome: 'invalid'; reason: string })[]> {
  const valid = items.filter((item) => typeof item !== 'string')
  const results = (valid.length === 0 ? [] : await send(valid)).values()
  return items.map((item) => {
    if (typeof item === 'string') return { outcome: 'invalid', reason: item }
    const { value } = results.next()
    if (value === undefined) throw new Error('the service gave too few results')
    return { ...value, ...(item.source !== undefined && { source: item.source }) }
  })
}
