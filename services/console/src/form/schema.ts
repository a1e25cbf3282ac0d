/** The schema of a field, as the OpenAPI document has it. */
export type FieldSchema = {
  type?: string | readonly string[]
  title?: string
  description?: string
  format?: string
  enum?: readonly (string | null)[]
  items?: FieldSchema & { properties?: Record<string, FieldSchema> }
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  maxItems?: number
  pattern?: string
}

/** The schema of what a form sends. */
export type ObjectSchema = {
  properties: Readonly<Record<string, FieldSchema>>
  required?: readonly string[]
}

/** How a field is shown in a form. */
export type InputKind = 'text' | 'texts' | 'url' | 'email' | 'integer' | 'boolean' | 'choice' | 'choices'

/** How people enter a value of a schema. */
export function inputKind({ type, format, enum: words, items }: FieldSchema): InputKind {
  const types = [type].flat()
  if (words) return 'choice'
  if (types.includes('array')) return items?.enum ? 'choices' : 'texts'
  if (types.includes('boolean')) return 'boolean'
  if (types.includes('integer')) return 'integer'
  return format === 'uri' ? 'url' : format === 'email' ? 'email' : 'text'
}

/** Whether null removes a value. */
export function isNullable({ type, enum: words }: FieldSchema): boolean {
  return [type].flat().includes('null') || (words?.includes(null) ?? false)
}

/** The fault of a value, by the rules of its schema. */
export type Problem =
  | { rule: 'required' | 'url' | 'email' | 'integer' | 'pattern' }
  | { rule: 'minLength' | 'maxLength' | 'minimum' | 'maximum' | 'maxItems'; bound: number }

/** Checks a value by its schema. @returns undefined when nothing is wrong that the schema knows of */
export function problemOf(schema: FieldSchema, value: unknown, required: boolean): Problem | undefined {
  if (isEmpty(value)) return required ? { rule: 'required' } : undefined
  if (Array.isArray(value)) return arrayProblem(schema, value)
  if (typeof value === 'number') return numberProblem(schema, value)
  if (typeof value === 'string') return textProblem(schema, value)
  return undefined
}

/** Whether a field has no value. */
export function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
}

function arrayProblem(
  { maxItems, items = {} }: FieldSchema,
  values: readonly unknown[],
): Problem | undefined {
  if (maxItems !== undefined && values.length > maxItems) return { rule: 'maxItems', bound: maxItems }
  return values.map((value) => problemOf(items, value, false)).find((problem) => problem !== undefined)
}

function numberProblem({ minimum, maximum }: FieldSchema, value: number): Problem | undefined {
  if (!Number.isInteger(value)) return { rule: 'integer' }
  if (minimum !== undefined && value < minimum) return { rule: 'minimum', bound: minimum }
  if (maximum !== undefined && value > maximum) return { rule: 'maximum', bound: maximum }
  return undefined
}

function textProblem(
  { minLength, maxLength, pattern, format }: FieldSchema,
  value: string,
): Problem | undefined {
  const length = [...value].length
  if (minLength !== undefined && length < minLength) return { rule: 'minLength', bound: minLength }
  if (maxLength !== undefined && length > maxLength) return { rule: 'maxLength', bound: maxLength }
  if (format === 'uri' && !URL.canParse(value)) return { rule: 'url' }
  if (format === 'email' && !/^[^\s@]+@[^\s@]+$/.test(value)) return { rule: 'email' }
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(value)) return { rule: 'pattern' }
  return undefined
}
