import { auditedTransactions } from '@gatehouse/data/audit'
import type { KeepEvent } from '@gatehouse/data/pending-events'
import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import { webhook } from '../webhooks/webhook.ts'
import type {
  DeliveryFilter,
  DeliveryPosition,
  WebhookDelivery,
  WebhookDeliveryStore,
} from '../webhooks/webhook-deliveries.ts'

// In the order of the keys, so that no two replicas deadlock. Of several events to which their senders gave the same id, the first keeps its
// entry.
const addSql = `
  insert into events.webhook_deliveries as d
    (event_id, event_type, client_id, user_id, state, attempts, status, failure, duration_ms, envelope, changed_at)
  select event_id, event_type, client_id, user_id, state, attempts, status, failure, duration_ms, envelope, changed_at
  from rows from (
      unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::int[], $7::int[], $8::text[], $9::int[], $11::timestamptz[]),
      json_array_elements_text($10)
    ) as posted
      (event_id, event_type, client_id, user_id, state, attempts, status, failure, duration_ms, changed_at, envelope)
  order by event_id
  on conflict (event_id) do update set state = excluded.state, attempts = d.attempts + excluded.attempts,
    status = excluded.status, failure = excluded.failure, duration_ms = excluded.duration_ms,
    changed_at = excluded.changed_at
    where d.envelope = excluded.envelope`

const columns = `
  event_id as "eventId", event_type as "eventType", client_id as "clientId", user_id as "userId", state, attempts, status,
  failure, duration_ms as "durationMs", changed_at as "changedAt"`

type DeliveryRow = Omit<WebhookDelivery, 'clientId' | 'userId' | 'failure' | 'status' | 'durationMs'> & {
  /** These are empty for none. */
  clientId: string
  userId: string
  failure: string
  status: number | null
  durationMs: number | null
}

/** The deliveries to the webhook in PostgreSQL. */
export function createWebhookDeliveryStore(
  database: Pick<Database, 'pool' | 'prisma'>,
  keepEvent: KeepEvent,
): WebhookDeliveryStore {
  const { pool } = database
  const audited = auditedTransactions(database, 'events', keepEvent)
  return {
    async add(posted) {
      const values = [
        posted.map(({ eventId }) => eventId),
        posted.map(({ eventType }) => eventType),
        posted.map(({ clientId }) => clientId ?? ''),
        posted.map(({ userId }) => userId ?? ''),
        posted.map(({ last }) => last.outcome),
        posted.map(({ attempts }) => attempts),
        posted.map(({ last }) => last.status),
        posted.map(({ last }) => last.failure ?? ''),
        posted.map(({ last }) => Math.round(last.durationMs)),
        // As in the outbox, not as an array of PostgreSQL.
        JSON.stringify(posted.map(({ envelope }) => envelope)),
        posted.map(({ last }) => new Date(last.at)),
      ]
      await translateDatabaseErrors(pool.query({ name: 'add_webhook_deliveries', text: addSql, values }))
    },

    async list(filter, after, limit) {
      const values: unknown[] = []
      const parameter = (value: unknown) => `$${values.push(value)}`
      const wanted = ['true', ...conditions(filter, after, parameter)].join(' and ')
      const { rows } = await translateDatabaseErrors(
        pool.query<DeliveryRow>(
          `select ${columns} from events.webhook_deliveries where ${wanted}
          order by changed_at desc, event_id desc limit ${parameter(limit)}`,
          values,
        ),
      )
      return rows.map((row) => ({
        item: deliveryOf(row),
        key: [String(row.changedAt.getTime()), row.eventId],
      }))
    },

    async get(eventId) {
      const { rows } = await translateDatabaseErrors(
        pool.query<DeliveryRow & { envelope: string }>(
          `select ${columns}, envelope from events.webhook_deliveries where event_id = $1`,
          [eventId],
        ),
      )
      return rows[0] && { delivery: deliveryOf(rows[0]), envelope: rows[0].envelope }
    },

    retry: (eventId, actor) =>
      audited(async (transaction, write) => {
        const count = await transaction.$executeRaw`
          with known as (
            update events.webhook_deliveries
            set state = 'waiting', changed_at = date_trunc('milliseconds', clock_timestamp())
            where event_id = ${eventId}::uuid returning envelope
          )
          insert into events.outbox (backend, envelope, client_key, user_key)
          select ${webhook.name}, envelope, 0, 0 from known`
        if (count === 1) await write({ actor, action: 'webhook.retry', target: eventId })
        return count === 1
      }),

    send: (envelope, actor) =>
      audited(async (transaction, write) => {
        const { id, event_type: eventType } = envelope.event
        const json = JSON.stringify(envelope)
        await transaction.$executeRaw`
          insert into events.webhook_deliveries
            (event_id, event_type, client_id, user_id, state, attempts, failure, envelope, changed_at)
          values (${id}::uuid, ${eventType}, '', '', 'waiting', 0, '', ${json},
            date_trunc('milliseconds', clock_timestamp()))`
        await transaction.$executeRaw`
          insert into events.outbox (backend, envelope, client_key, user_key) values (${webhook.name}, ${json}, 0, 0)`
        await write({ actor, action: 'webhook.test', target: id })
      }),
  }
}

/** The conditions of a list. @param parameter adds a value and returns its placeholder */
function conditions(
  { eventType, clientId, userId, state, since, until }: DeliveryFilter,
  after: DeliveryPosition | undefined,
  parameter: (value: unknown) => string,
): string[] {
  const position = after?.map(parameter)
  return [
    ...(eventType === undefined ? [] : [`event_type = ${parameter(eventType)}`]),
    ...(clientId === undefined ? [] : [`client_id = ${parameter(clientId)}`]),
    ...(userId === undefined ? [] : [`user_id = ${parameter(userId)}`]),
    ...(state === undefined ? [] : [`state = ${parameter(state)}`]),
    ...(since === undefined ? [] : [`changed_at >= ${parameter(since)}::timestamptz`]),
    ...(until === undefined ? [] : [`changed_at < ${parameter(until)}::timestamptz`]),
    ...(position === undefined
      ? []
      : [
          `(changed_at, event_id) < (timestamptz 'epoch' + ${position[0]}::bigint * interval '1 millisecond', ${position[1]}::uuid)`,
        ]),
  ]
}

function deliveryOf({ clientId, userId, failure, status, durationMs, ...row }: DeliveryRow): WebhookDelivery {
  return {
    ...row,
    clientId: clientId || undefined,
    userId: userId || undefined,
    failure: failure || undefined,
    status: status ?? undefined,
    durationMs: durationMs ?? undefined,
  }
}
