import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ContentOf, EventContent, EventType } from '@gatehouse/proto/event-types'
import { type EmittedEvent, EventsServiceService as eventsService } from '@gatehouse/proto/events/v1'
import type { ProcessContext } from '../process/process.ts'
import { peerAt } from '../rpc/peer.ts'
import { createRpcClient } from '../rpc/rpc-client.ts'
import { droppedEventsMetric } from '../telemetry/metrics.ts'
import { activeRequestContext } from '../telemetry/trace.ts'
import { traceHeaders } from '../telemetry/trace-context.ts'
import { repeat } from '../time/repeat.ts'
import { type EmissionConfig, emittedTypes } from './emission-variables.ts'

/**
 * Emits an event. The call is cheap, never fails and does not block: the event is queued and sent soon, with others.
 */
export type Emit = <Type extends EventType>(type: Type, content: ContentOf<Type>) => void

/** An `emit` that does nothing, for when events are off. */
export const emitNothing: Emit = () => undefined

/** The most events in one message, and the most that wait; one more is dropped and counted. */
const mostInMessage = 5_000
const mostWaiting = 20_000
/** In milliseconds. */
const sendEvery = 200
const sendTimeout = 2_000
/** After this long, a replica is chosen anew: otherwise replicas that start later would never get any events. */
const moveEvery = 300_000
const lastTimeout = 500

/**
 * Opens the emission of a process's events. Events wait in memory and are sent in order to one replica of the events
 * service, which recognizes repeated ones by their numbers. While the service is away events keep waiting, up to
 * mostWaiting; when the process ends, those that are left are sent once more.
 * @param context the process
 * @throws ConfigurationError as `emittedTypes` does
 */
export function openEmission(context: ProcessContext<EmissionConfig>): Emit {
  const { config, log, name: producer, registry } = context
  const types = emittedTypes(config)
  if (!config.OAUTH2_EVENTS_ENABLED) return emitNothing
  const dropped = droppedEventsMetric(registry)
  const events = peerAt(context, config.OAUTH2_EVENTS_ADDR)
  const connect = () => createRpcClient(eventsService, events, sendTimeout, 'one_replica')
  let rpc = connect()
  let connectedAt = Date.now()
  const emitter = `${randomUUID().slice(0, 24)}${'0'.repeat(12)}`
  let waiting: EmittedEvent[] = []
  let firstNumber = 1
  let droppedSince = 0

  const send = async (deadline = Date.now() + sendTimeout) => {
    // Events that arrive during the loop wait for the next run: otherwise it could make small calls without end.
    for (let left = waiting.length; left > 0; left -= mostInMessage) {
      const events = waiting.slice(0, Math.min(left, mostInMessage))
      await rpc.reportEvents({ emitter, firstNumber, producer, events }, { deadline })
      waiting = waiting.slice(events.length)
      firstNumber += events.length
      // Lets requests that are waiting for an answer go first.
      await sleep(0)
    }
    if (Date.now() - connectedAt > moveEvery) {
      rpc.close()
      rpc = connect()
      connectedAt = Date.now()
    }
    if (droppedSince > 0) log.warn({ events: droppedSince }, 'events were dropped')
    droppedSince = 0
  }
  context.onShutdown(async () => {
    await send(Date.now() + lastTimeout).catch((error) =>
      log.warn({ err: error, events: waiting.length }, 'the last events could not be sent'),
    )
    rpc.close()
  })
  repeat(context, 'sending events', sendEvery, send)

  return (type, content) => {
    if (!types.has(type)) return
    if (waiting.length >= mostWaiting) {
      dropped.inc()
      droppedSince += 1
      return
    }
    waiting.push(emittedEvent(type, content))
  }
}

/** An event that happens now, in the trace of the current request. */
export function emittedEvent<Type extends EventType>(
  eventType: Type,
  { userId, clientId, error, metadata }: ContentOf<Type> & EventContent,
): EmittedEvent {
  const trace = activeRequestContext()
  const details = { userId, clientId, error, metadata: JSON.stringify(metadata) }
  return { eventType, timeMs: Date.now(), ...details, ...(trace && traceHeaders(trace)) }
}
