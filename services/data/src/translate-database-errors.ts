import { Refusal } from '@gatehouse/kit/errors'
import { isDatabaseUnavailable } from '@gatehouse/prisma/database-errors'

/**
 * Waits for a statement, and translates the errors of an unavailable database.
 * @param statement the running statement
 * @throws Refusal temporarily_unavailable when the database is away; else what the statement threw
 */
export async function translateDatabaseErrors<Result>(statement: Promise<Result>): Promise<Result> {
  try {
    return await statement
  } catch (error) {
    if (isDatabaseUnavailable(error))
      throw new Refusal('temporarily_unavailable', undefined, { cause: error })
    throw error
  }
}
