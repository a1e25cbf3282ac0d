import type { EncryptedContents, EncryptedRow } from '@gatehouse/data/reencryption'
import type { ConnectionEncryption } from '../../connections/connection-secrets.ts'
import { connectionLoginLifetime } from '../../connections/pending-connection-login.ts'

/**
 * The client secrets and keys of connections, which are encrypted with OAUTH2_FACTOR_KEY. The keys of logins under way are not rewritten:
 * they end within minutes.
 * @param encryption undefined without OAUTH2_FACTOR_KEY
 */
export function encryptedCredentials(
  encryption: ConnectionEncryption | undefined,
): EncryptedContents<EncryptedRow>[] {
  return ['client_secret', 'client_key'].map((content) => ({
    variable: 'OAUTH2_FACTOR_KEY',
    table: 'identity.connections',
    columns: [],
    id: { column: 'connection_id', type: 'text' },
    content,
    renewed: ({ id: connectionId, content }) => encryption?.renewed(content, connectionId),
    ends: async () => ({ neededUntil: new Date(Date.now() + connectionLoginLifetime * 1000) }),
  }))
}
