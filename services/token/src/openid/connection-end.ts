import { Refusal } from '@gatehouse/kit/errors'
import type { Emit } from '@gatehouse/kit/events/emission'
import { isUuid } from '@gatehouse/kit/formats'
import { isConnectionId } from '@gatehouse/proto/connections'

/** The end of logins by a connection. */
export type ConnectionEnd = {
  /** The connection's, alone or with `:` and the id of a user or of a session. */
  id: string
  /** Grants until then end; undefined for all, also later ones. */
  issuedBefore: Date | undefined
}

/** Stores that logins by a connection ended. */
export type ConnectionEndStore = {
  /**
   * Revokes what was granted after the logins; in a session, not what is for offline access. When it resolves, that applies on every replica.
   * Codes and refresh tokens give nothing from the beginning on.
   */
  add(end: ConnectionEnd): Promise<void>
}

/** How many ends are remembered. */
const mostRemembered = 100

/**
 * Creates the function that ends what was granted after logins by a connection. With many grants it takes longer than its caller waits, who
 * then asks again: the same end is done once.
 * @returns it throws Refusal invalid_request when the id is not one of ConnectionEnd
 */
export function createConnectionEnding({
  store,
  emit,
}: {
  store: ConnectionEndStore
  emit: Emit
}): (end: ConnectionEnd) => Promise<void> {
  const remembered = new Map<string, Promise<void>>()

  async function end(it: ConnectionEnd): Promise<void> {
    await store.add(it)
    emit('token_revoked', { metadata: { kind: 'connection', id: it.id } })
  }

  return async ({ id, issuedBefore }) => {
    const [connectionId = '', rest, ...more] = id.split(':')
    if (!isConnectionId(connectionId) || (rest !== undefined && !isUuid(rest)) || more.length > 0)
      throw new Refusal('invalid_request', 'The id of the revocation must begin with that of a connection.')
    const name = `${id} ${issuedBefore?.toISOString()}`
    const ending = remembered.get(name) ?? end({ id, issuedBefore })
    remembered.set(name, ending)
    const [oldest] = remembered.keys()
    if (remembered.size > mostRemembered && oldest !== undefined) remembered.delete(oldest)
    try {
      await ending
    } catch (error) {
      remembered.delete(name)
      throw error
    }
  }
}
