import type { Database } from '@gatehouse/prisma/database'
import { type Parties, partiesOf } from '../outbox/parties.ts'

// Only for rows of release 0.6.0, which wrote no keys.

/** How many rows are read at once. */
const most = 50

/**
 * Fills in the keys of some rows that have none, the oldest first: while one has none, it is not known whose events must wait for it.
 * @param keysOf the keys of an event's parties
 */
export async function fillKeys(
  pool: Database['pool'],
  backend: string,
  keysOf: (parties: Parties) => { client: bigint; user: bigint },
): Promise<void> {
  const { rows } = await pool.query<{ position: string; envelope: string }>(
    `select position::text, envelope from events.outbox
    where backend = $1 and not_before is null and client_key is null order by outbox.position limit ${most}`,
    [backend],
  )
  if (rows.length === 0) return
  const keys = rows.map(({ envelope }) => keysOf(partiesOf(JSON.parse(envelope))))
  await pool.query(
    `update events.outbox o set client_key = t.client, user_key = t."user"
    from unnest($1::bigint[], $2::bigint[], $3::bigint[]) as t (position, client, "user") where o.position = t.position`,
    [rows.map(({ position }) => position), keys.map(({ client }) => client), keys.map(({ user }) => user)],
  )
}
