import { Refusal } from '@gatehouse/kit/errors'
import { isDatabaseUnavailable, isUnstorableText } from '@gatehouse/prisma/database-errors'

/**
 * Waits for a statement, and translates the errors of an unavailable database.
 * @param statement the running statement
 * @throws Refusal temporarily_unavailable when the database is away, invalid_request for a text that cannot be stored, which is the
 * caller's fault and says nothing of the service; else what the statement threw
 */
export async function translateDatabaseErrors<Result>(statement: Promise<Result>): Promise<Result> {
  try {
    return await statement
  } catch (error) {
    if (isDatabaseUnavailable(error))
      throw new Refusal('temporarily_unavailable', undefined, { cause: error })
    if (isUnstorableText(error))
      throw new Refusal('invalid_request', 'A text has a NUL or half of a character in it.', { cause: error })
    throw error
  }
}
