import { deleteExpiredRows } from '@gatehouse/data/expired-rows'
import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'

/** How long an event is kept for a backend that does not accept it, and what was posted to the webhook. */
const kept = '7 days'
/** How many deliveries to the webhook are kept of each state. */
const mostDeliveries = 100_000
/** How many bytes the bodies of those deliveries may have: an event from outside may be as long as a request. */
const mostDeliveryBytes = 268_435_456

/** Deletes expired rows: a function for each table, which gives how many rows it deleted. */
export function deletionsOfExpired(
  database: Pick<Database, 'pool'>,
  /** Called with the number of events that were given up. */
  givenUp: (count: number) => void,
  /** How many bytes the deliveries of each state keep. */
  deliveryBytes = mostDeliveryBytes,
): Record<string, () => Promise<number>> {
  return {
    taken_events: () =>
      deleteExpiredRows(database, {
        name: 'events.taken_events',
        key: 'identity_digest',
        ends: 'expires_at',
      }),
    outbox: async () => {
      const table = { name: 'events.outbox', key: 'position', ends: 'created_at', kept, inOrder: true }
      const count = await deleteExpiredRows(database, table)
      if (count > 0) givenUp(count)
      return count
    },
    webhook_deliveries: async () => {
      const table = { name: 'events.webhook_deliveries', key: 'event_id', ends: 'changed_at', kept }
      return (
        (await deleteExpiredRows(database, table)) + (await deleteSurplusDeliveries(database, deliveryBytes))
      )
    },
  }
}

/** Deletes the deliveries of each state that are too many, oldest first. @returns how many */
async function deleteSurplusDeliveries({ pool }: Pick<Database, 'pool'>, bytes: number): Promise<number> {
  const text = `
    delete from events.webhook_deliveries where event_id in (
      select surplus.event_id from unnest(array['waiting', 'delivered', 'failed', 'refused']) as state cross join lateral (
        select event_id from events.webhook_deliveries d where d.state = state.state
        order by changed_at desc, event_id desc offset $1
      ) as surplus
    )`
  const { rowCount } = await translateDatabaseErrors(pool.query(text, [mostDeliveries]))
  return (rowCount ?? 0) + (await deleteLargeDeliveries({ pool }, bytes))
}

/** Deletes the deliveries of each state whose bodies are too much together, oldest first. @returns how many */
async function deleteLargeDeliveries({ pool }: Pick<Database, 'pool'>, bytes: number): Promise<number> {
  // A table that is smaller than that has none to delete, and need not be read. The function is volatile, so that PostgreSQL would ask it
  // for each row of a statement that reads the rows.
  const size = `select pg_total_relation_size('events.webhook_deliveries') > $1 as large`
  const { rows } = await translateDatabaseErrors(pool.query<{ large: boolean }>(size, [bytes]))
  if (!rows[0]?.large) return 0
  const text = `
    with sized as (
      select event_id, sum(pg_column_size(envelope)) over (partition by state order by changed_at desc, event_id desc) as bytes
      from events.webhook_deliveries
    )
    delete from events.webhook_deliveries where event_id in (select event_id from sized where bytes > $1)`
  const { rowCount } = await translateDatabaseErrors(pool.query(text, [bytes]))
  return rowCount ?? 0
}
