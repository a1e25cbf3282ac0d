import type { App } from '@gatehouse/http/app'
import { Type } from '@gatehouse/proto/typebox'
import type { AdminDeps, Replica } from '../deps.ts'
import { operationRoute } from '../operation.ts'
import { systemOverview } from '../system-overview.ts'

const databaseSchema = (description: string) => Type.Enum(['connected', 'disconnected'], { description })
type DatabaseState = 'connected' | 'disconnected'
const database = (reached: boolean): DatabaseState => (reached ? 'connected' : 'disconnected')

const replicaSchema = Type.Object({
  instance: Type.Optional(Type.String({ description: 'Absent if the process did not answer.' })),
  address: Type.Optional(Type.String({ description: 'Absent for the answering gateway itself.' })),
  version: Type.Optional(
    Type.String({ description: 'The release of the process; absent if it did not answer.' }),
  ),
  healthy: Type.Boolean(),
  database: Type.Optional(databaseSchema('Absent if the process has no database or did not answer.')),
  answered_in_ms: Type.Optional(Type.Integer()),
})

const statusSchema = Type.Object(
  {
    version: Type.String({ description: 'The release of the answering gateway.' }),
    database: databaseSchema('Whether every service that needs the database reaches it.'),
    services: Type.Array(
      Type.Object({
        service: Type.String(),
        healthy: Type.Boolean({ description: 'Whether all of its replicas are healthy.' }),
        replicas: Type.Array(replicaSchema),
      }),
    ),
    resource_indicators: Type.Boolean({
      description: 'Whether tokens can be for a resource server (`OAUTH2_RESOURCE_INDICATORS`).',
    }),
    organizations: Type.Boolean({
      description:
        'Whether groups and roles count: they decide about tokens, and are told in them (`OAUTH2_ORGANIZATIONS_ENABLED`).',
    }),
    cors_origins: Type.Array(Type.String(), {
      description: 'The origins whose pages may call the server (`OAUTH2_CORS_ORIGINS`).',
    }),
    client_origins: Type.Boolean({
      description: 'Whether pages of the origins of a client may call the server for it (`allowed_origins`).',
    }),
  },
  {
    title: 'Status',
    description: 'The current state.',
    examples: [
      {
        version: '1.0.0',
        database: 'connected',
        services: [
          {
            service: 'token',
            healthy: true,
            replicas: [
              {
                instance: 'host-1234',
                address: '127.0.0.1:50051',
                version: '1.0.0',
                healthy: true,
                database: 'connected',
                answered_in_ms: 3,
              },
            ],
          },
        ],
        resource_indicators: true,
        organizations: true,
        cors_origins: ['https://app.example.com'],
        client_origins: true,
      },
    ],
  },
)

/** /admin/api/status. */
export function statusRoute(app: App, deps: AdminDeps): void {
  operationRoute(app, {
    route: 'GET /status',
    operationId: 'getStatus',
    summary: 'Get the state of every process',
    description: 'Only the gateway that answers is listed.',
    answer: { 200: statusSchema },
    async perform() {
      const overview = await systemOverview(deps)
      return {
        version: overview.version,
        database: database(overview.database),
        services: overview.services.map(({ replicas, ...service }) => ({
          ...service,
          replicas: replicas.map(replicaBody),
        })),
        resource_indicators: deps.resourceIndicators,
        organizations: deps.organizations,
        cors_origins: [...deps.corsOrigins],
        client_origins: deps.clientOrigins !== undefined,
      }
    },
  })
}

function replicaBody({ instance, address, version, healthy, ...replica }: Replica) {
  return {
    ...(instance !== undefined && { instance }),
    ...(address !== undefined && { address }),
    ...(version !== undefined && { version }),
    healthy,
    ...(replica.database !== undefined && { database: database(replica.database) }),
    ...(replica.answeredInMs !== undefined && { answered_in_ms: replica.answeredInMs }),
  }
}
