import { randomUUIDv7 } from 'node:crypto'
import { emittedEvent } from '@gatehouse/kit/events/emission'
import { type EmissionConfig, emittedTypes } from '@gatehouse/kit/events/emission-variables'
import type { ProcessContext } from '@gatehouse/kit/process/process'
import { connect } from '@gatehouse/kit/rpc/connect'
import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import { repeat } from '@gatehouse/kit/time/repeat'
import type { Database, Prisma } from '@gatehouse/prisma/database'
import type { ContentOf, EventType } from '@gatehouse/proto/event-types'
import { EventsServiceService, type StoredEvent } from '@gatehouse/proto/events/v1'
import { inTransaction } from './in-transaction.ts'

/** The PostgreSQL schemas with events that wait for the events service. Each belongs to one service. */
export type EmittingSchema = 'token' | 'clients' | 'identity'

/** An event that is stored. */
export type KeptEvent = { [Type in EventType]: { type: Type; content: ContentOf<Type> } }[EventType]

/** Stores an event in the transaction of what it tells of, so that neither exists without the other. */
export type KeepEvent = (
  transaction: Pick<Prisma.TransactionClient, '$executeRawUnsafe'>,
  event: KeptEvent,
) => Promise<void>

/** A `KeepEvent` that does nothing, for when events are off. */
export const keepNothing: KeepEvent = async () => undefined

/** How many events are sent at once. */
const atOnce = 500

/** In milliseconds. */
const sendTimeout = 2_000
const deliverEvery = 500

/** The events of a schema that wait longer than this are given up. */
export const expiringPendingEvents = (schema: EmittingSchema) => ({
  ...{ name: `${schema}.pending_events`, key: 'id', ends: 'created_at' },
  ...{ kept: '7 days', inOrder: true },
})

/** Creates the function that stores events in a schema. @param types those that are emitted; others are not stored */
export function createEventKeeping(schema: EmittingSchema, types: ReadonlySet<EventType>): KeepEvent {
  return async (transaction, { type, content }) => {
    if (!types.has(type)) return
    const event: StoredEvent = { id: randomUUIDv7(), event: emittedEvent(type, content) }
    await transaction.$executeRawUnsafe(
      `insert into ${schema}.pending_events (event) values ($1)`,
      JSON.stringify(event),
    )
  }
}

/**
 * Sends the oldest pending events of a schema to the events service, and deletes them once it has stored them. Those that another replica is
 * sending are skipped. An event that is sent twice is stored once.
 * @returns how many
 * @throws Refusal of the events service, or temporarily_unavailable when the database is away
 */
export function deliverEvents(
  database: Pick<Database, 'prisma'>,
  schema: EmittingSchema,
  send: (events: StoredEvent[]) => Promise<unknown>,
): Promise<number> {
  return inTransaction(database, async (transaction) => {
    const rows = await transaction.$queryRawUnsafe<{ id: bigint; event: string }[]>(
      `select id, event from ${schema}.pending_events order by id limit ${atOnce} for update skip locked`,
    )
    if (rows.length === 0) return 0
    await send(rows.map(({ event }) => JSON.parse(event)))
    return transaction.$executeRawUnsafe(
      `delete from ${schema}.pending_events where id = any($1::bigint[])`,
      rows.map(({ id }) => id),
    )
  })
}

/**
 * Delivers the pending events of a service's schema as long as the process runs.
 * @returns the function that stores events
 * @throws ConfigurationError as `emittedTypes` does
 */
export function startEventDelivery(
  context: ProcessContext<EmissionConfig>,
  { database, schema }: { database: Pick<Database, 'prisma' | 'pool'>; schema: EmittingSchema },
): KeepEvent {
  const { config, name: producer } = context
  const types = emittedTypes(config)
  if (!config.OAUTH2_EVENTS_ENABLED) return keepNothing
  const rpc: Pick<RpcClient<typeof EventsServiceService>, 'storeEvents'> = connect(
    context,
    EventsServiceService,
    config.OAUTH2_EVENTS_ADDR,
    sendTimeout,
  )
  // Mostly there are none, and then no transaction is needed.
  const waiting = `select 1 from ${schema}.pending_events limit 1`
  repeat(context, 'delivering stored events', deliverEvery, async () => {
    const { rowCount } = await database.pool.query({ name: `waiting_events_of_${schema}`, text: waiting })
    if (rowCount === 0) return
    while (
      (await deliverEvents(database, schema, (events) => rpc.storeEvents({ producer, events }))) === atOnce
    );
  })
  return createEventKeeping(schema, types)
}
