import { readActor } from '@gatehouse/kit/actor'
import { Refusal } from '@gatehouse/kit/errors'
import { isUuid } from '@gatehouse/kit/formats'
import { type Implementation, implement } from '@gatehouse/kit/rpc/rpc-server'
import type { Database, Prisma } from '@gatehouse/prisma/database'
import { SecretsServiceService as secretsService } from '@gatehouse/proto/secrets/v1'
import { type AuditedSchema, auditedTransactions } from './audit.ts'
import type { KeepEvent } from './pending-events.ts'
import { translateDatabaseErrors } from './translate-database-errors.ts'

/** The contents of a table that are encrypted with a secret. */
export type EncryptedContents<Row extends EncryptedRow> = {
  /** The variable of the secret, for the audit log. */
  variable: string
  /** The table with its schema, and the columns of `Row` as a statement selects them, besides `id` and `content`. */
  table: string
  columns: readonly string[]
  /** The primary key, with its type, and the column of the contents. */
  id: { column: string; type: 'uuid' | 'text' }
  content: string
  /**
   * The content of a row, encrypted with the current secret.
   * @returns undefined when that encrypted it already, or there is no secret
   * @throws an error when no secret decrypts it
   */
  renewed(row: Row): Uint8Array | undefined
  /** When the last values end that depend on another secret and are not in the table; undefined for none. */
  ends(): Promise<{ neededUntil?: Date | undefined; sessionsUntil?: Date | undefined }>
}

/** A row of such a table. */
export type EncryptedRow = { id: string; content: Uint8Array }

/** How many rows are locked at once: each is so for some milliseconds. */
const batch = 500

/**
 * The RPC that encrypts the contents of tables with the current secret, a batch at a time. A batch is a transaction, which locks its
 * rows in the order of their keys: so several runs at once wait for each other, and one that is killed leaves whole batches.
 * @param keepEvent see `auditedTransactions`
 * @param all the contents, one after the other
 */
export function reencryptionRpcs(
  database: Pick<Database, 'pool' | 'prisma'>,
  schema: AuditedSchema,
  keepEvent: KeepEvent,
  ...all: readonly [EncryptedContents<EncryptedRow>, ...EncryptedContents<EncryptedRow>[]]
): Implementation {
  const audited = auditedTransactions(database, schema, keepEvent)

  return implement(secretsService, {
    async reencrypt({ actor: sent, after }) {
      const actor = readActor(sent)
      const { number, id } = readPlace(after)
      const contents = all[number]
      if (contents === undefined || (id !== '' && contents.id.type === 'uuid' && !isUuid(id)))
        throw new Refusal('invalid_request', 'The place to go on after is malformed.')
      const { variable, renewed } = contents
      const statements = statementsOf(contents)
      const counts = await audited(async (transaction, write) => {
        const rows = await readBatch<EncryptedRow>(transaction, statements, id)
        const { changed, unreadable } = renewAll(rows, renewed)
        if (changed.length > 0) {
          const ids = changed.map((row) => row.id)
          await transaction.$executeRawUnsafe(
            statements.write,
            ids,
            changed.map(({ content }) => content),
          )
        }
        const counts = { read: rows.length, rewritten: changed.length, unreadable }
        if (changed.length > 0 || after === '')
          await write({ actor, action: 'secret.reencrypt', target: variable, after: counts })
        const last = rows.length < batch ? undefined : rows.at(-1)?.id
        const next = last === undefined ? { number: number + 1, id: '' } : { number, id: last }
        return { ...counts, next: all[next.number] === undefined ? '' : placeOf(next) }
      })
      return { ...counts, ...(await endsOf(all)) }
    },
  })
}

/** Where to go on: after a row of one of the contents. */
type Place = { number: number; id: string }

/** The first contents have plain ids, as in releases that had no others. */
function placeOf({ number, id }: Place): string {
  return number === 0 ? id : `${number}:${id}`
}

function readPlace(text: string): Place {
  const [, number, id = ''] = /^(\d):(.*)$/.exec(text) ?? []
  return number === undefined ? { number: 0, id: text } : { number: Number(number), id }
}

async function endsOf(all: readonly EncryptedContents<EncryptedRow>[]) {
  const ends = await Promise.all(all.map((contents) => translateDatabaseErrors(contents.ends())))
  const latest = (times: readonly (Date | undefined)[]) =>
    times.reduce((one, other) => (one === undefined || (other !== undefined && other > one) ? other : one))
  return {
    neededUntil: latest(ends.map(({ neededUntil }) => neededUntil)),
    sessionsUntil: latest(ends.map(({ sessionsUntil }) => sessionsUntil)),
  }
}

function renewAll<Row extends EncryptedRow>(
  rows: readonly Row[],
  renewed: EncryptedContents<Row>['renewed'],
): { changed: EncryptedRow[]; unreadable: number } {
  let unreadable = 0
  const changed = rows.flatMap((row) => {
    try {
      const content = renewed(row)
      return content ? [{ id: row.id, content }] : []
    } catch {
      // Its secret is gone. A use of the content says so.
      unreadable++
      return []
    }
  })
  return { changed, unreadable }
}

type Statements = { first: string; next: string; write: string }

function statementsOf<Row extends EncryptedRow>(contents: EncryptedContents<Row>): Statements {
  const { table, columns, id, content } = contents
  const read = (where: string) => `
    select ${[`${id.column}::text as id`, `${content} as content`, ...columns].join(', ')} from ${table} ${where}
    order by ${id.column} limit ${batch} for no key update`
  return {
    first: read(`where ${content} is not null`),
    next: read(`where ${content} is not null and ${id.column} > $1::${id.type}`),
    write: `
      update ${table} t set ${content} = renewed.content
      from unnest($1::${id.type}[], $2::bytea[]) renewed (id, content) where t.${id.column} = renewed.id`,
  }
}

function readBatch<Row>(
  transaction: Pick<Prisma.TransactionClient, '$queryRawUnsafe'>,
  { first, next }: Statements,
  after: string,
): Promise<Row[]> {
  return after === ''
    ? transaction.$queryRawUnsafe<Row[]>(first)
    : transaction.$queryRawUnsafe<Row[]>(next, after)
}
