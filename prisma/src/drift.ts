import { openConnection } from './connection.ts'
import { describeConnectionFailure } from './database-errors.ts'
import { describeDelete, type Fact, readDatamodel } from './datamodel.ts'
import { schemas } from './service-role.ts'

// Prisma knows no list that may be null, so nothing says whether one may.
const columnsQuery = `
  select n.nspname as schema, c.relname as table, a.attname as column,
    case when t.typtype = 'e' then 'enum ' || t.typname else format_type(a.atttypid, a.atttypmod) end
      || case when a.attnotnull and a.attndims = 0 then ' not null' else '' end
      || case when a.atthasdef or a.attidentity <> '' then ' with a default' else '' end as value
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  join pg_type t on t.oid = a.atttypid
  where n.nspname = any ($1) and c.relkind in ('r', 'p') and not c.relispartition`

// Prisma cannot express an index over an expression or a partial index.
const indexesQuery = `
  select n.nspname as schema, c.relname as table, i.indisprimary as primary, i.indisunique as unique,
    string_agg(a.attname, ', ' order by k.position) as columns
  from pg_index i
  join pg_class c on c.oid = i.indrelid
  join pg_namespace n on n.oid = c.relnamespace
  cross join unnest(i.indkey::int2[]) with ordinality k (number, position)
  join pg_attribute a on a.attrelid = c.oid and a.attnum = k.number
  where n.nspname = any ($1) and not c.relispartition and i.indexprs is null and i.indpred is null
    and k.position <= i.indnkeyatts
  group by n.nspname, c.relname, i.indexrelid, i.indisprimary, i.indisunique`

const foreignKeysQuery = `
  select n.nspname as schema, c.relname as table, tn.nspname || '.' || t.relname as target,
    f.confdeltype::text as action, names.columns, names.target_columns
  from pg_constraint f
  join pg_class c on c.oid = f.conrelid
  join pg_namespace n on n.oid = c.relnamespace
  join pg_class t on t.oid = f.confrelid
  join pg_namespace tn on tn.oid = t.relnamespace
  cross join lateral (
    select string_agg(a.attname, ', ' order by k.position) as columns,
      string_agg(b.attname, ', ' order by k.position) as target_columns
    from unnest(f.conkey, f.confkey) with ordinality k (number, target_number, position)
    join pg_attribute a on a.attrelid = f.conrelid and a.attnum = k.number
    join pg_attribute b on b.attrelid = f.confrelid and b.attnum = k.target_number
  ) names
  where n.nspname = any ($1) and f.contype = 'f' and not c.relispartition`

/**
 * Compares a migrated database with schema/*.prisma: tables, columns (type, nullability, whether there is a default),
 * primary keys, foreign keys, and indexes on plain columns. Prisma cannot express checks, triggers and other indexes.
 * @returns one readable line for each difference; empty when there is none
 * @throws Error in one line when the database cannot be reached
 */
export async function findDrift(databaseUrl: string): Promise<string[]> {
  const [database, datamodel] = await Promise.all([readDatabase(databaseUrl), readDatamodel()])
  const there = new Map(database.map((fact) => [fact.subject, fact]))
  const wanted = new Map(datamodel.map((fact) => [fact.subject, fact]))
  const lines: string[] = []
  for (const { schema, subject, value } of wanted.values()) {
    const found = there.get(subject)
    if (found === undefined) lines.push(`${subject} is in schema/${schema}.prisma but not in the database`)
    else if (found.value !== value) {
      lines.push(`${subject} is ${found.value} in the database but ${value} in schema/${schema}.prisma`)
    }
  }
  for (const { schema, subject } of there.values()) {
    if (!wanted.has(subject)) lines.push(`${subject} is in the database but not in schema/${schema}.prisma`)
  }
  return lines.sort()
}

async function readDatabase(databaseUrl: string): Promise<Fact[]> {
  const client = await openConnection({ databaseUrl, applicationName: 'gatehouse-drift' }).catch((error) => {
    throw new Error(describeConnectionFailure(error, databaseUrl), { cause: error })
  })
  try {
    const select = async (query: string) => (await client.query(query, [schemas])).rows
    return [
      ...(await select(columnsQuery)).flatMap(describeColumn),
      ...(await select(indexesQuery)).map(describeIndex),
      ...(await select(foreignKeysQuery)).map(describeForeignKey),
    ]
  } finally {
    await client.end()
  }
}

function describeColumn(row: { schema: string; table: string; column: string; value: string }): Fact[] {
  const { schema, table, column, value } = row
  return [
    { schema, subject: `table ${schema}.${table}`, value: 'there' },
    { schema, subject: `column ${schema}.${table}.${column}`, value },
  ]
}

function describeIndex(row: {
  schema: string
  table: string
  primary: boolean
  unique: boolean
  columns: string
}): Fact {
  const { schema, table, columns } = row
  if (row.primary) return { schema, subject: `primary key of ${schema}.${table}`, value: `(${columns})` }
  return {
    schema,
    subject: `${row.unique ? 'unique ' : ''}index ${schema}.${table} (${columns})`,
    value: 'there',
  }
}

const deleteActions: Record<string, string> = { c: 'Cascade', n: 'SetNull', d: 'SetDefault' }

function describeForeignKey(row: {
  schema: string
  table: string
  columns: string
  target: string
  target_columns: string
  action: string
}): Fact {
  const { schema, table, columns, target, target_columns } = row
  const action = describeDelete(deleteActions[row.action] ?? '')
  return {
    schema,
    subject: `foreign key ${schema}.${table} (${columns})`,
    value: `to ${target} (${target_columns}), on delete ${action}`,
  }
}
