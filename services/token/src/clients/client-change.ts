import { Refusal } from '@gatehouse/kit/errors'
import type { ClientAuthenticationDeps, PresentedCredentials } from './client-authentication.ts'

/** The rights of a client after a change. */
export type ClientChange = {
  clientId: string
  /** The client registry's number of the change. */
  revision: bigint
  /** Space-separated. */
  scope: string
  grantTypes: Iterable<string>
  disabled: boolean
  /** Whether it is disabled because it was deleted. */
  deleted?: boolean
}

/** Stores client changes for all replicas. */
export type ClientChangeStore = {
  /** Resolves when the change applies on every replica. Does nothing when a later change is already stored. */
  apply(change: ClientChange): Promise<void>
  /** The same for a deleted client, which may have nothing any more. */
  end(clientId: string): Promise<void>
}

/** The client was changed since it was looked up, so nothing was stored. */
export class ClientChanged extends Refusal {
  constructor() {
    super('temporarily_unavailable', undefined, { detail: 'the client was changed meanwhile' })
  }
}

/** The needs of deciding by the current client. */
export type CurrentClientDeps = Pick<ClientAuthenticationDeps, 'findClient' | 'now'> & {
  /**
   * Asks the client registry again.
   * @param since milliseconds since the Unix epoch
   * @returns whether the client has changed since then
   */
  refreshClient(clientId: string, since: number): Promise<boolean>
  clientChanges: ClientChangeStore
}

/** Refusals that may turn out wrong when the cached client is outdated. */
const refusalsByClient: ReadonlySet<string> = new Set<Refusal['code']>([
  'invalid_client',
  'unauthorized_client',
  'invalid_scope',
  'invalid_target',
])

/**
 * Decides by the cached client. Before a refusal it asks the registry whether the client has changed, and if so decides once
 * more, so a new secret or scope takes effect at once. When the store knows of a change that the cache has missed, it also
 * decides once more, so nothing is granted that the client may no longer have.
 * @param readings the ways to read the presented credentials, or the client that a request names
 * @param decide must have no effect when it throws one of these refusals
 * @throws the error of the last decision; ClientChanged, a temporarily_unavailable, when the client keeps changing
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
      // First the cache and then the store may be outdated. After that, the caller must try again.
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

/** Stores the registry's version of the client, in case the registry has not delivered the change yet. */
async function catchUp(clientId: string, { findClient, clientChanges }: CurrentClientDeps): Promise<void> {
  const client = await findClient(clientId)
  if (client) await clientChanges.apply(client)
}
