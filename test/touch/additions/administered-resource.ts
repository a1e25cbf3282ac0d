import type { Addition } from '../addition.ts'
import { filesThatName } from '../product.ts'

/**
 * Counted by the latest kind of thing that administrators list, create, change and delete: resource servers, in storage, service, API,
 * command line and console. Their use by the token service and the gateway is another matter and left out, and so are other pages of
 * the console that show one.
 */
export const administeredResource: Addition = {
  name: 'an administered resource',
  goal: 25,
  most: 45,
  precedent: () =>
    filesThatName({
      words: "[rR]esource[-_]?[sS]erver|resourceRoutes|/resources\\b|'resources'|resourceCommands",
      within: [
        'prisma/schema/clients.prisma',
        'prisma/migrations/*_resource_servers/**',
        'proto/*.ts',
        'proto/gatehouse/clientregistry/**',
        'services/client-registry/src/**',
        'services/admin-api/src/**',
        'services/console/src/resources/**',
        'services/console/src/*.ts*',
        'services/console/src/shell/**',
        'services/console/src/activity/**',
        'services/console/src/users/texts/role.ts',
        'services/gateway/src/admin/**',
        'deploy/cli/src/**',
      ],
      except: [
        'proto/{client-metadata,variables}.ts',
        'services/client-registry/src/{clients/client-field,open-client-id-documents}.ts',
        'services/client-registry/src/store/unused-registrations.ts',
      ],
    }),
}
