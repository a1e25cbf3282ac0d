import { handlersOf } from '@gatehouse/kit/rpc/rpc-server'
import { IdentityServiceService } from '@gatehouse/proto/identity/v1'
import { deleteOwnAccount, type OwnAccountDeps, recordDataDownload } from '../accounts/own-account.ts'
import { sessionOf } from './factor-owner-rpc.ts'

/** The RPCs about what people do with their own accounts as a whole. */
export function ownAccountRpcs(deps: OwnAccountDeps) {
  return handlersOf(IdentityServiceService, {
    async recordDataDownload({ sessionSecret, ...caller }) {
      await recordDataDownload(sessionOf(sessionSecret), caller, deps)
      return {}
    },

    deleteOwnAccount({ sessionSecret, ...request }) {
      return deleteOwnAccount(sessionOf(sessionSecret), request, deps)
    },
  })
}
