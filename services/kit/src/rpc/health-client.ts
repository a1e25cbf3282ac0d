import { service as healthService } from 'grpc-health-check'
import { toRefusal } from '../errors.ts'
import type { Peer } from './peer.ts'
import { createRpcClient, type Service } from './rpc-client.ts'

/** The name under which the health service reports the process's database. */
export const databaseHealth = 'database'

/** The name under which the health service reports whether the process could do its work. */
export const workHealth = 'work'

/** Asks for the health of a process with the gRPC health protocol. */
export type HealthClient = {
  /**
   * @param part the part to ask about; the empty string means the process itself
   * @param deadline milliseconds since the Unix epoch
   * @returns whether it serves; undefined if it gave no answer
   */
  isServing(part: string, deadline: number): Promise<boolean | undefined>
  close(): void
}

/**
 * @param peer the process, or a gRPC target
 */
export function createHealthClient(peer: Peer | string): HealthClient {
  const { Check } = healthService as unknown as Service
  if (Check === undefined) throw new Error('the health protocol has no Check')
  const client = createRpcClient({ check: Check }, peer, 0)
  return {
    async isServing(part, deadline) {
      try {
        const { status } = (await client.check({ service: part }, { deadline })) as { status: string }
        return status === 'SERVING'
      } catch (error) {
        // Any other failure is an answer: the process does not have that part.
        return toRefusal(error).code === 'temporarily_unavailable' ? undefined : false
      }
    },
    close: () => client.close(),
  }
}
