import { Refusal } from '@gatehouse/kit/errors'
import { isDatabaseUnavailable } from '@gatehouse/prisma/database-errors'

/**
 * Waits for a statement, and says for people what it means when the database is away.
 * @param statement what was asked of the database
 * @throws Refusal temporarily_unavailable when the database could not be asked; else what the statement threw
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
