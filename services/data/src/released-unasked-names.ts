import { isUnknownCall } from '@gatehouse/kit/errors'
import type { AskForNames } from './name-claims.ts'

/** A client of a service that can be asked for names. */
type NamingRpc = { findTakenNames(request: { names: string[] }): Promise<{ taken: string[] }> }

/**
 * Asks another service for names. A peer of release 0.6.0, which cannot be asked, counts as one that has none of them: that release never
 * asked either, so nothing gets worse while an upgrade is rolled out. The next release asks without this.
 */
export function askForNamesOver(rpc: NamingRpc): AskForNames {
  return async (names) => {
    try {
      return (await rpc.findTakenNames({ names })).taken
    } catch (error) {
      if (isUnknownCall(error)) return []
      throw error
    }
  }
}
