import { Refusal } from '@gatehouse/kit/errors'
import type { ClientAuthenticationDeps, PresentedCredentials } from './client-authentication.ts'

/** What a client may have since it was changed. */
export type ClientChange = {
  clientId: string
  /** The client registry's number of the change. */
  revision: bigint
  /** Space-separated. */
  scope: string
  grantTypes: Iterable<string>
  disabled: boolean
}

/** Where changes of clients are kept for all replicas. */
export type ClientChangeStore = {
  /** Resolves when the change counts on every replica. An older one than the last does nothing. */
  apply(change: ClientChange): Promise<void>
  /** Likewise for a client that was deleted: it gets nothing any more. */
  end(clientId: string): Promise<void>
}

/** The client was changed since it was looked up, so nothing was stored. */
export class ClientChanged extends Refusal {
  constructor() {
    super('temporarily_unavailable', undefined, { detail: 'the client was changed meanwhile' })
  }
}

/** What deciding by the client of now needs. */
export type CurrentClientDeps = Pick<ClientAuthenticationDeps, 'findClient' | 'now'> & {
  /**
   * Asks the client registry again.
   * @param since milliseconds since the Unix epoch
   * @returns whether the client is not the one that it was at that time
   */
  refreshClient(clientId: string, since: number): Promise<boolean>
  clientChanges: ClientChangeStore
}

/** Refusals that another state of the client may take back. */
const refusalsByClient: ReadonlySet<string> = new Set<Refusal['code']>([
  'invalid_client',
  'unauthorized_client',
  'invalid_scope',
])

/**
 * Decides by the client as the cache has it. Before it refuses, it asks the registry whether the client has changed, and then
 * decides once more: a new secret or scope counts at once. Where the store knows of a change that the cache does not, it
 * decides once more too: what was taken away is not given.
 * @param readings the ways to read the presented credentials, or the client that a request names
 * @param decide has no effect when it throws one of these refusals
 * @throws what the last decision throws; ClientChanged, a temporarily_unavailable, where the client keeps changing
 */
export async function decideByClient<Result>(
  readings: readonly Pick<PresentedCredentials, 'clientId'>[],
  deps: CurrentClientDeps,
  decide: () => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    const since = deps.now()
    try {
      return await decide()
    } catch (error) {
      // Both may be behind, the cache and then the store; who is still behind after that is told to come again.
      if (!(error instanceof Refusal) || attempt === mostAttempts) throw error
      const changed = error instanceof ClientChanged
      if (!changed && !refusalsByClient.has(error.code)) throw error
      const refreshed = await Promise.all(readings.map(({ clientId }) => deps.refreshClient(clientId, since)))
      if (changed) await Promise.all(readings.map(({ clientId }) => catchUp(clientId, deps)))
      else if (!refreshed.includes(true)) throw error
    }
  }
}

const mostAttempts = 3

/** Tells the store what the registry says, where the registry could not tell it yet. */
async function catchUp(clientId: string, { findClient, clientChanges }: CurrentClientDeps): Promise<void> {
  const client = await findClient(clientId)
  if (client) await clientChanges.apply(client)
}
