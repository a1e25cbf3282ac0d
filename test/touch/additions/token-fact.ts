import type { Addition } from '../addition.ts'
import { filesThatName } from '../product.ts'

/**
 * Counted by the latest fact that flows, codes, refresh tokens and access tokens carry: the resource servers that a token is for, which are its audience. The
 * `organization_id` of a token goes the same ways. Left out are files that name the variable which switches it on.
 */
export const tokenFact: Addition = {
  name: 'a fact that a token carries',
  goal: 12,
  most: 48,
  precedent: () =>
    filesThatName({
      words: '\\b(resources|forResources|audiences?|Target|identifiersOf)\\b|[rR]esourceIndicators',
      within: [
        'services/token/src/**',
        'services/gateway/src/**',
        'proto/gatehouse/token/**',
        'prisma/schema/token.prisma',
        'prisma/migrations/*_resource_indicators/**',
        'services/admin-api/src/routes/tokens.ts',
        'services/console/src/tokens/**',
      ],
      except: [
        'services/token/src/{config,other-services/open-registry-client}.ts',
        'services/gateway/src/{config,settings,server}.ts',
        'services/gateway/src/admin/console.ts',
      ],
    }),
}
