import type { App } from '@gatehouse/http/app'
import { Type } from 'typebox'
import type { AdminDeps, Replica } from '../deps.ts'
import { adminAnswers } from '../schemas.ts'
import { systemOverview } from '../system-overview.ts'

const databaseSchema = (description: string) => Type.Enum(['connected', 'disconnected'], { description })
type DatabaseState = 'connected' | 'disconnected'
const database = (reached: boolean): DatabaseState => (reached ? 'connected' : 'disconnected')

const replicaSchema = Type.Object({
  instance: Type.Optional(Type.String({ description: 'Absent: it gave no answer.' })),
  address: Type.Optional(Type.String({ description: 'Absent: it is the gateway that answers.' })),
  version: Type.Optional(Type.String({ description: 'Its release. Absent: it gave no answer.' })),
  healthy: Type.Boolean(),
  database: Type.Optional(databaseSchema('Absent: it has none, or gave no answer.')),
  answered_in_ms: Type.Optional(Type.Integer()),
})

/** /admin/api/status. */
export function statusRoute(app: App, deps: AdminDeps): void {
  app.route({
    method: 'GET',
    url: '/status',
    schema: {
      operationId: 'getStatus',
      summary: 'Look at every process of the system',
      description: 'Of the gateways only at the one that answers.',
      response: adminAnswers({
        200: Type.Object(
          {
            version: Type.String({ description: 'The release of the gateway that answers.' }),
            database: databaseSchema('Whether every service that keeps state reaches the database.'),
            services: Type.Array(
              Type.Object({
                service: Type.String(),
                healthy: Type.Boolean({ description: 'Whether all of its replicas are.' }),
                replicas: Type.Array(replicaSchema),
              }),
            ),
          },
          {
            title: 'Status',
            description: 'How it is now.',
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
              },
            ],
          },
        ),
      }),
    },
    async handler() {
      const overview = await systemOverview(deps)
      return {
        version: overview.version,
        database: database(overview.database),
        services: overview.services.map(({ replicas, ...service }) => ({
          ...service,
          replicas: replicas.map(replicaBody),
        })),
      }
    },
  })
}

function replicaBody({ instance, address, version, healthy, ...replica }: Replica) {
  return {
    ...(instance !== '' && { instance }),
    ...(address !== '' && { address }),
    ...(version !== '' && { version }),
    healthy,
    ...(replica.database !== undefined && { database: database(replica.database) }),
    ...(replica.answeredInMs !== undefined && { answered_in_ms: replica.answeredInMs }),
  }
}
