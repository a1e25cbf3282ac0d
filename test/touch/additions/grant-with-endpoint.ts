import type { Addition } from '../addition.ts'
import { filesThatName } from '../product.ts'

/**
 * Counted by the one grant that has an endpoint of its own: the authorization code, its endpoint, and the words of its page in each
 * language. The grant `device_code` needs the same: an endpoint, rows that wait for an answer, a page, and a module that redeems them.
 * Left out are files in which Gatehouse or an example is the client.
 */
export const grantWithEndpoint: Addition = {
  name: 'a grant with an endpoint of its own',
  goal: 20,
  most: 42,
  precedent: () =>
    filesThatName({
      words:
        "authorization_endpoint|/oauth/authorize|[bB]eginAuthorization|[aA]uthorization_?[cC]ode|AUTHORIZATION_CODE|sendPage\\(reply, 'consent'|consent: \\{",
      except: [
        'services/identity/src/providers/**',
        'services/console/src/start/snippets/**',
        'deploy/cli/src/{browser-login,commands/profiles}.ts',
        'deploy/local/src/summary.ts',
      ],
    }),
}
