import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import type { RegistrationTokenStore } from '../registered-client.ts'

/** The registration access tokens in PostgreSQL. */
export function createRegistrationTokenStore({ prisma }: Pick<Database, 'prisma'>): RegistrationTokenStore {
  return {
    async find(clientId) {
      // No client has such an id, and PostgreSQL could not read it.
      if (clientId.includes('\0')) return undefined
      const row = await translateDatabaseErrors(
        prisma.registrationToken.findUnique({
          where: { clientId },
          select: { tokenDigest: true, client: { select: { disabledAt: true } } },
        }),
      )
      if (row === null) return undefined
      const { tokenDigest: digest, client } = row
      return { digest, disabled: client.disabledAt !== null }
    },
  }
}
