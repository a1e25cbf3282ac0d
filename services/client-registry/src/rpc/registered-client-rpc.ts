import { Refusal } from '@gatehouse/kit/errors'
import { handlersOf } from '@gatehouse/kit/rpc/rpc-server'
import {
  ClientRegistryServiceService,
  type RegistrationAccess as RegistrationAccessMessage,
} from '@gatehouse/proto/clientregistry/v1'
import {
  deleteRegisteredClient,
  getRegisteredClient,
  type RegisteredClientDeps,
  type RegistrationAccess,
  replaceRegisteredClient,
} from '../changes/registered-client.ts'
import { widenScope } from '../changes/scope-widening.ts'
import { recordMessage } from './admin-rpc.ts'

/** The RPCs with which a client changes its own registration: by itself (RFC 7592), and by asking a user for more scope. */
export function registeredClientRpcs(deps: RegisteredClientDeps) {
  return handlersOf(ClientRegistryServiceService, {
    async getRegisteredClient({ access }) {
      return { client: recordMessage(await getRegisteredClient(readAccess(access), deps)) }
    },

    async replaceRegisteredClient({ access, registration, clientSecret }) {
      const wanted = { ...registration, clientSecret }
      return { client: recordMessage(await replaceRegisteredClient(readAccess(access), wanted, deps)) }
    },

    async deleteRegisteredClient({ access }) {
      await deleteRegisteredClient(readAccess(access), deps)
      return {}
    },

    async widenClientScope(request) {
      await widenScope(request, deps)
      return {}
    },
  })
}

/** @throws Refusal invalid_request when the access is missing */
function readAccess(access: RegistrationAccessMessage | undefined): RegistrationAccess {
  if (access === undefined) throw new Refusal('invalid_request', 'The access is missing.')
  return access
}
