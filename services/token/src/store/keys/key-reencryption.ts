import type { EncryptedContents, EncryptedRow } from '@gatehouse/data/reencryption'
import type { Keyring } from '@gatehouse/kit/secrets/keyring'
import type { Database } from '@gatehouse/prisma/database'
import { createKeyEncryption } from '../../keys/key-encryption.ts'

type PairRow = EncryptedRow & { algorithm: string }

/**
 * The private keys of key pairs, which are encrypted with OAUTH2_JWT_SECRET. Tokens that another secret signed are not rewritten: the
 * last of them has expired when the last token has that exists now.
 */
export function encryptedKeyPairs(
  { pool }: Pick<Database, 'pool'>,
  secret: Keyring,
): EncryptedContents<PairRow> {
  const encryption = createKeyEncryption(secret)
  return {
    variable: 'OAUTH2_JWT_SECRET',
    table: 'token.signing_key_pairs',
    columns: ['algorithm'],
    id: { column: 'kid', type: 'text' },
    content: 'encrypted_key',
    renewed: ({ id: kid, algorithm, content }) => encryption.renewed(content, { kid, algorithm }),
    async ends() {
      const { rows } = await pool.query<{ last: Date | null }>(
        'select max(expires_at) as last from token.access_tokens where expires_at > now()',
      )
      return { neededUntil: rows[0]?.last ?? undefined }
    },
  }
}
