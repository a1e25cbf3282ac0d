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
 * The RPC that encrypts the contents of a table with the current secret, a batch at a time. A batch is a transaction, which locks its
 * rows in the order of their keys: so several runs at once wait for each other, and one that is killed leaves whole batches.
 * @param keepEvent see `auditedTransactions`
 */
export function reencryptionRpcs<Row extends EncryptedRow>(
  database: Pick<Database, 'pool' | 'prisma'>,
  schema: AuditedSchema,
  keepEvent: KeepEvent,
  contents: EncryptedContents<Row>,
): Implementation {
  const { variable, renewed, ends } = contents
  const audited = auditedTransactions(database, schema, keepEvent)
  const statements = statementsOf(contents)

  return implement(secretsService, {
    async reencrypt({ actor: sent, after }) {
      const actor = readActor(sent)
      if (after !== '' && contents.id.type === 'uuid' && !isUuid(after))
        throw new Refusal('invalid_request', 'The place to go on after is malformed.')
      const counts = await audited(async (transaction, write) => {
        const rows = await readBatch<Row>(transaction, statements, after)
        const { changed, unreadable } = renewAll(rows, renewed)
        if (changed.length > 0) {
          const ids = changed.map(({ id }) => id)
          await transaction.$executeRawUnsafe(
            statements.write,
            ids,
            changed.map(({ content }) => content),
          )
        }
        const counts = { read: rows.length, rewritten: changed.length, unreadable }
        if (changed.length > 0 || after === '')
          await write({ actor, action: 'secret.reencrypt', target: variable, after: counts })
        return { ...counts, next: rows.length < batch ? '' : (rows.at(-1)?.id ?? '') }
      })
      const { neededUntil, sessionsUntil } = await translateDatabaseErrors(ends())
      return { ...counts, neededUntil, sessionsUntil }
    },
  })
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
    first: read(''),
    next: read(`where ${id.column} > $1::${id.type}`),
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
