import { randomUUIDv7 } from 'node:crypto'
import { type Attempt, isMissingPartition } from '@gatehouse/prisma/database'
import { nobody } from '../readiness.ts'
import { newGrant } from '../tokens/grant-record.ts'
import { insertStatement } from './access-tokens.ts'

/**
 * Stores an access token as the token endpoint does, and takes the row back in the same transaction, so that nobody ever sees it. The
 * transaction is committed, because a commit may be what fails or waits, as for a synchronous replica that is away.
 * @param lifetime of access tokens, in seconds
 * @param now milliseconds since the Unix epoch
 */
export function issuingAttempt(lifetime: number, now: () => number): Attempt {
  return async (ask) => {
    const jti = randomUUIDv7()
    const record = {
      expiresAt: Math.floor(now() / 1000) + lifetime,
      jti,
      grantId: jti,
      clientRevision: 0n,
      grant: newGrant({ clientId: nobody }, '', { servers: [] }),
    }
    await ask('begin; savepoint before')
    try {
      await ask(insertStatement([record]))
    } catch (error) {
      // A request would make the partition.
      if (!isMissingPartition(error)) throw error
    }
    await ask('rollback to before; commit')
  }
}
