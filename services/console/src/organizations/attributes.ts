import type { Values } from '../form/form-state.ts'
import type { FieldSchema } from '../form/schema.ts'

/** The attributes of an organization in a form: one on each line, as `name=value`. */
export const attributeLines: FieldSchema = {
  type: 'array',
  items: { type: 'string', pattern: '^\\s*[A-Za-z][\\w.\\-]{0,63}\\s*=.*\\S\\s*$' },
  maxItems: 20,
}

/** An organization as the values of its form. */
export function toForm(organization: Values): Values {
  const attributes = Object.entries(Object(organization.attributes) as Record<string, string>)
  return { ...organization, attributes: attributes.map(([name, value]) => `${name}=${value}`) }
}

/** The values of the form as a request has them. */
export function fromForm({ attributes, ...values }: Values): Values {
  if (!Array.isArray(attributes)) return values
  const named = attributes.map((line: string) => {
    const end = line.indexOf('=')
    return [line.slice(0, end).trim(), line.slice(end + 1).trim()]
  })
  return { ...values, attributes: Object.fromEntries(named) }
}
