import { type Peer, replicasOf } from '@gatehouse/kit/peer'
import { createRpcClient, type RpcClient } from '@gatehouse/kit/rpc-client'
import { EventsServiceService } from '@gatehouse/proto/events/v1'
import type { Position } from './event-order.ts'
import type { ReplicaAnswer } from './recent-events.ts'

/** In milliseconds. */
const timeout = 1_000

type Connection = {
  client: RpcClient<typeof EventsServiceService>
  /** Who answered there last; empty: nobody yet. */
  instance: string
}

/** Every replica of the events service. */
export type EventReplicas = {
  /**
   * Asks each for the events that it holds after a position.
   * @returns an answer for each; undefined for one that gave none
   */
  ask(known: Position): Promise<(ReplicaAnswer | undefined)[]>
  close(): void
}

/**
 * The replicas that the service's name resolves to at the moment. Each keeps its connection from one question to the next.
 * @param service the events service
 */
export function eventReplicas(service: Peer): EventReplicas {
  const connections = new Map<string, Connection>()

  async function connect(): Promise<Connection[]> {
    const found = await replicasOf(service).catch(() => [])
    const replicas = new Map((found.length === 0 ? [service] : found).map((peer) => [peer.target, peer]))
    for (const [target, { client }] of connections) {
      if (replicas.has(target)) continue
      client.close()
      connections.delete(target)
    }
    for (const [target, peer] of replicas) {
      if (!connections.has(target))
        connections.set(target, {
          client: createRpcClient(EventsServiceService, peer, timeout),
          instance: '',
        })
    }
    return [...connections.values()]
  }

  return {
    ask: async (known) =>
      Promise.all(
        (await connect()).map(async (connection) => {
          const { client, instance } = connection
          try {
            const answer = await client.listRecentEvents({
              instance,
              afterNumber: known.get(instance) ?? 0,
            })
            connection.instance = answer.instance
            return answer
          } catch {
            return undefined
          }
        }),
      ),
    close() {
      for (const { client } of connections.values()) client.close()
      connections.clear()
    },
  }
}
