import { readFile } from 'node:fs/promises'

/** One fact about a database: a subject, e.g. `column clients.clients.scope`, and its value. */
export interface Fact {
  /** The PostgreSQL schema, which is also the name of the file in schema/. */
  schema: string
  subject: string
  value: string
}

interface Field {
  name: string
  dbName?: string
  kind: 'scalar' | 'object' | 'enum' | 'unsupported'
  type: string
  nativeType: [string, string[]] | null
  isList: boolean
  isRequired: boolean
  isId: boolean
  isUnique: boolean
  hasDefaultValue: boolean
  default?: unknown
  relationFromFields?: string[]
  relationToFields?: string[]
  relationOnDelete?: string
}

interface Model {
  name: string
  dbName: string | null
  schema: string
  fields: Field[]
  primaryKey: { fields: string[] } | null
  uniqueFields: string[][]
}

interface Datamodel {
  models: Model[]
  indexes: { model: string; type: string; fields: { name: string }[] }[]
}

const defaultTypes: Record<string, string> = {
  String: 'text',
  Boolean: 'boolean',
  Int: 'integer',
  BigInt: 'bigint',
  Float: 'double precision',
  Decimal: 'numeric(65,30)',
  DateTime: 'timestamp(3) without time zone',
  Json: 'jsonb',
  Bytes: 'bytea',
}

const nativeTypes: Record<string, string> = {
  SmallInt: 'smallint',
  Integer: 'integer',
  Real: 'real',
  VarChar: 'character varying()',
  Char: 'character()',
  Timestamptz: 'timestamp() with time zone',
  Timestamp: 'timestamp() without time zone',
  Time: 'time() without time zone',
  Timetz: 'time() with time zone',
  Decimal: 'numeric()',
}

/** Defaults that Prisma fills in itself, so the database does not have them. */
const clientDefaults = new Set(['uuid', 'cuid', 'ulid', 'nanoid'])

/**
 * Reads what a database should have by schema/*.prisma, from the output of `npm run generate`.
 * @throws Error when generated/datamodel.json is missing or unreadable
 */
export async function readDatamodel(): Promise<Fact[]> {
  const file = new URL('../generated/datamodel.json', import.meta.url)
  const datamodel = JSON.parse(await readFile(file, 'utf8')) as Datamodel
  return datamodel.models.flatMap((model) => describeModel(model, datamodel))
}

function describeModel(model: Model, { models, indexes }: Datamodel): Fact[] {
  const { schema } = model
  const table = nameTable(model)
  const columns = (names: string[], owner = model) => names.map((name) => nameColumn(owner, name)).join(', ')
  const facts: Fact[] = [{ schema, subject: `table ${table}`, value: 'there' }]
  const add = (subject: string, value: string) => facts.push({ schema, subject, value })

  for (const field of model.fields) {
    if (field.kind !== 'object') {
      add(`column ${table}.${field.dbName ?? field.name}`, describeColumn(field))
      continue
    }
    const target = models.find(({ name }) => name === field.type)
    if (target === undefined || !field.relationFromFields?.length) continue
    add(
      `foreign key ${table} (${columns(field.relationFromFields)})`,
      `to ${nameTable(target)} (${columns(field.relationToFields ?? [], target)}), ` +
        `on delete ${describeDelete(field.relationOnDelete ?? (field.isRequired ? 'Restrict' : 'SetNull'))}`,
    )
  }
  const key =
    model.primaryKey?.fields ?? model.fields.filter((field) => field.isId).map((field) => field.name)
  add(`primary key of ${table}`, `(${columns(key)})`)
  const unique = model.fields.filter((field) => field.isUnique).map((field) => [field.name])
  for (const names of [...unique, ...model.uniqueFields])
    add(`unique index ${table} (${columns(names)})`, 'there')
  for (const index of indexes) {
    if (index.model !== model.name || index.type !== 'normal') continue
    add(`index ${table} (${columns(index.fields.map(({ name }) => name))})`, 'there')
  }
  return facts
}

function nameTable(model: Model): string {
  return `${model.schema}.${model.dbName ?? model.name}`
}

function nameColumn(model: Model, fieldName: string): string {
  return model.fields.find(({ name }) => name === fieldName)?.dbName ?? fieldName
}

function describeColumn(field: Field): string {
  const parts = [`${describeType(field)}${field.isList ? '[]' : ''}`]
  if (field.isRequired && !field.isList) parts.push('not null')
  const byClient = clientDefaults.has((field.default as { name?: string } | undefined)?.name ?? '')
  if (field.hasDefaultValue && !byClient) parts.push('with a default')
  return parts.join(' ')
}

function describeType({ kind, type, nativeType }: Field): string {
  if (nativeType === null) return defaultTypes[type] ?? (kind === 'enum' ? `enum ${type}` : type)
  const [name, lengths] = nativeType
  const known = nativeTypes[name] ?? name.toLowerCase()
  return known.replace('()', lengths.length > 0 ? `(${lengths.join(',')})` : '')
}

/** RESTRICT and NO ACTION are the same here: they differ only for deferred constraints. */
export function describeDelete(action: string): string {
  return { Cascade: 'cascade', SetNull: 'set null', SetDefault: 'set default' }[action] ?? 'refuse'
}
