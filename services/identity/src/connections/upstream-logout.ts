import { isConnectionId } from '@gatehouse/proto/connections'
import type { EndingConnectionLogins } from '../logins/connection-login.ts'
import { checkAddressee } from '../providers/logout-token.ts'
import { ProviderFailure } from '../providers/social-provider.ts'
import type { ConnectionLoginDeps } from './connection-login.ts'
import { isOpen } from './login-connection.ts'

/** The needs of ending logins that ended at their provider. */
export type UpstreamLogoutDeps = Pick<
  ConnectionLoginDeps,
  'isOn' | 'loginConnections' | 'providers' | 'log' | 'deliver'
> & {
  /** @returns the ids of the pending revocations */
  endLogins(which: EndingConnectionLogins): Promise<readonly bigint[]>
}

/** In characters. */
const longestToken = 10_000

/**
 * Ends the logins of which a provider says that they ended (OpenID Connect Back-Channel Logout 1.0).
 * @returns whether the token is right; logins need not have ended
 */
export async function endUpstream(
  { connectionId, logoutToken }: { connectionId: string; logoutToken: string },
  { isOn, loginConnections, providers, log, deliver, endLogins }: UpstreamLogoutDeps,
): Promise<boolean> {
  if (!isOn || !isConnectionId(connectionId) || logoutToken.length > longestToken) return false
  const connection = await loginConnections.find(connectionId)
  // A disabled connection has no logins.
  if (connection === undefined || !isOpen(connection)) return false
  try {
    // Before any request: a token for somebody else, or none at all, makes none.
    if (connection.issuer !== undefined) checkAddressee(logoutToken, connection.issuer, connection.clientId)
    const provider = await providers.of(connection)
    const upstream = await provider.endedBy?.(logoutToken)
    if (upstream === undefined) return false
    await deliver(...(await endLogins({ connectionId, upstream })))
    return true
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error
    log.info({ connection: connectionId, detail: error.message }, 'a logout by a connection was refused')
    return false
  }
}
