import type { App } from '@gatehouse/http/app'
import { largestImport } from '@gatehouse/proto/imports'
import { actorOf } from '../administrator.ts'
import {
  clientImportResult,
  clientImportResultSchema,
  clientImportSchema,
  importedClient,
  importedClientSchema,
} from '../client-import-body.ts'
import type { AdminDeps } from '../deps.ts'
import { importItems, importTooLarge, itemReader } from '../import-item.ts'
import { adminAnswers } from '../schemas.ts'

/** In milliseconds. Each client is a transaction of its own. */
const timeout = 20_000

/** POST /admin/api/clients/import. */
export function clientImportRoute(app: App, { clientRegistry }: AdminDeps): void {
  const readItem = itemReader(importedClientSchema)

  app.route({
    method: 'POST',
    url: '/clients/import',
    bodyLimit: largestImport,
    config: { limit: 'import' },
    schema: {
      operationId: 'importClients',
      summary: 'Import clients',
      description:
        'Creates up to 100 clients that another system had, with their ids and secrets. What this server does not have is left out: grants, scopes, and fields that are invalid. To send the same clients again changes nothing. `gatehouse clients import` reads the exports of other systems.',
      body: clientImportSchema,
      response: {
        ...adminAnswers({ 200: clientImportResultSchema }, 'invalid_request'),
        413: importTooLarge,
      },
    },
    async handler(request) {
      const { clients, dry_run: dryRun = false } = request.body
      const results = await importItems(clients.map(readItem), async (valid) => {
        const message = { clients: valid.map(importedClient), dryRun, actor: actorOf(request) }
        const answer = await clientRegistry.importClients(message, { deadline: Date.now() + timeout })
        return answer.results.map(clientImportResult)
      })
      return { results }
    },
  })
}
