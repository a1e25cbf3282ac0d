import type { Addition } from '../addition.ts'
import { filesThatName } from '../product.ts'

/**
 * Counted by the one grant that has an endpoint of its own: the authorization code, its endpoint, and the words of its page in each
 * language. The grant `device_code` needs the same: an endpoint, rows that wait for an answer, a page, and a module that redeems them.
 * Left out are files in which Gatehouse or an example is the client, and those that name this grant because it is the default, or a
 * step of every authorization request.
 */
export const grantWithEndpoint: Addition = {
  name: 'a grant with an endpoint of its own',
  goal: 20,
  most: 28,
  precedent: () => [
    ...filesThatName({
      words:
        "authorization_endpoint|/oauth/authorize|[bB]eginAuthorization|[aA]uthorization_?[cC]ode|AUTHORIZATION_CODE|sendPage\\(reply, 'consent'|^  consent: \\{",
      except: [
        'services/identity/src/providers/**',
        'services/console/src/start/snippets/**',
        'deploy/cli/src/{browser-login,commands/profiles}.ts',
        'deploy/local/src/summary.ts',
        // The default of a client's grants.
        'proto/client-metadata.ts',
        'proto/gatehouse/clientregistry/**',
        'services/admin-api/src/client-import-body.ts',
        'services/console/src/{clients/*,start/kinds.ts}',
        'services/gateway/src/oauth/endpoints/client-configuration.ts',
        // The order of the fields of earlier releases: discovery merges those of endpoints.
        'services/gateway/src/oauth/endpoints/discovery.ts',
        'services/gateway/src/people/authorization/authorization-step.ts',
        // Another way to the same endpoint, which a grant without a browser has not.
        'services/gateway/src/people/routes/pushed-requests.ts',
        'services/token/src/authorization/pushed-request.ts',
      ],
    }),
    ...filesThatName({
      words: 'export const texts',
      within: ['services/gateway/src/people/texts/consent/**'],
    }),
  ],
}
