import { randomUUID } from 'node:crypto'
import { Refusal } from '@gatehouse/kit/errors'
import type { NameClaims } from '@gatehouse/kit/rpc/name-claims'
import type { Database, Prisma } from '@gatehouse/prisma/database'
import { principalKeys } from './principal-keys.ts'
import { translateDatabaseErrors } from './translate-database-errors.ts'

/** The PostgreSQL schemas with reservations of names. Each belongs to one service. */
export type NamingSchema = 'identity' | 'clients'

/** Asks the other service which of these keys are taken. */
export type AskForNames = (keys: string[]) => Promise<readonly string[]>

/** In seconds. A transaction may begin in the first half, and must be over at the end. */
const lifetime = 60

/** The names that a service claims, with its reservations in PostgreSQL. */
export function createNameClaims(
  { pool }: Pick<Database, 'pool'>,
  schema: NamingSchema,
  askOther: AskForNames,
): NameClaims {
  const reserveSql = `
    insert into ${schema}.name_reservations (reservation_id, name, expires_at)
    select $1, name, clock_timestamp() + interval '${lifetime} seconds' from unnest($2::text[]) as w(name)`

  async function ask(names: readonly string[]) {
    const keys = keysOf(names)
    const taken = new Set(keys.length > 0 ? await askOther(keys) : [])
    return (name: string) => principalKeys(name).some((key) => taken.has(key))
  }

  return {
    ask,

    async during(names, create) {
      const reservation = randomUUID()
      await translateDatabaseErrors(pool.query(reserveSql, [reservation, keysOf(names)]))
      try {
        return await create({ reservation, isTaken: await ask(names) })
      } finally {
        // If this fails, the reservation expires by itself: until then the name is refused to others.
        await pool
          .query(`delete from ${schema}.name_reservations where reservation_id = $1`, [reservation])
          .catch(() => undefined)
      }
    },
  }
}

function keysOf(names: readonly string[]): string[] {
  return [...new Set(names.flatMap(principalKeys))]
}

/** Whether a reservation is good for a statement or transaction that begins now, as a condition. @param parameter such as $1 */
export function heldSql(schema: NamingSchema, parameter: string): string {
  return `exists (
    select from ${schema}.name_reservations
    where reservation_id = ${parameter}::uuid and expires_at > clock_timestamp() + interval '${lifetime / 2} seconds'
  )`
}

/**
 * Makes sure that names are still reserved. Call it at the beginning of the transaction that creates what has them: it would be too late
 * after a long pause of the process.
 * @throws Refusal temporarily_unavailable
 */
export async function holdReservation(
  transaction: Pick<Prisma.TransactionClient, '$queryRawUnsafe'>,
  schema: NamingSchema,
  reservation: string,
): Promise<void> {
  const sql = `select ${heldSql(schema, '$1')} as held`
  const [row] = await transaction.$queryRawUnsafe<{ held: boolean }[]>(sql, reservation)
  if (row?.held) return
  const cause = new Error('the reservation of a name expired before it was used')
  throw new Refusal('temporarily_unavailable', undefined, { cause })
}

/**
 * Finds the names that a service has or has reserved, in one statement: what is being created counts as one or the other.
 * @param existsSql a condition for a row with the name `k.name`
 */
export function createTakenNames(
  { pool }: Pick<Database, 'pool'>,
  schema: NamingSchema,
  existsSql: string,
): (keys: readonly string[]) => Promise<string[]> {
  const text = `
    select k.name from unnest($1::text[]) as k(name)
    where ${existsSql} or exists (
      select from ${schema}.name_reservations r where r.name = k.name and r.expires_at > clock_timestamp()
    )`
  return async (keys) => {
    const { rows } = await translateDatabaseErrors(pool.query<{ name: string }>(text, [keys]))
    return rows.map(({ name }) => name)
  }
}
