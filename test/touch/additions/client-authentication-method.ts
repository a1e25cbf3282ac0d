import type { Addition } from '../addition.ts'
import { filesThatName } from '../product.ts'

/**
 * Counted by the files that name the methods of today, or the credentials that a client presents for them: the next method is one more
 * word in the former and one more form of the latter. Left out are files that only carry a client's method, whichever it is, and those
 * with an example of a client.
 */
export const clientAuthenticationMethod: Addition = {
  name: 'a client authentication method',
  goal: 10,
  most: 35,
  precedent: () =>
    filesThatName({
      words:
        'client_secret_(post|basic)|[tT]okenEndpointAuthMethod|token_endpoint_auth_method|[pP]resentedCredentials|message ClientCredentials',
      except: [
        'prisma/schema/clients.prisma',
        'proto/gatehouse/clientregistry/**',
        'services/client-registry/src/clients/client.ts',
        'services/client-registry/src/store/**',
        'services/admin-api/src/client-body.ts',
        'services/gateway/src/oauth/endpoints/{register,client-configuration}.ts',
        'deploy/cli/src/import/fields/hydra-client-fields.ts',
        // Gatehouse as the client of somebody else.
        'services/identity/src/providers/**',
      ],
    }),
}
