import type { App } from '@gatehouse/http/app'
import { largestImport } from '@gatehouse/proto/imports'
import { actorOf } from '../administrator.ts'
import type { AdminDeps } from '../deps.ts'
import { importItems, importTooLarge, itemReader } from '../import-item.ts'
import { adminAnswers } from '../schemas.ts'
import {
  importedUser,
  importedUserSchema,
  importResult,
  userImportResultSchema,
  userImportSchema,
} from '../user-import-body.ts'

/** In milliseconds. Hashing passwords takes longer than any other call may. */
const timeout = 20_000

/** POST /admin/api/users/import. */
export function userImportRoute(app: App, { identity }: AdminDeps): void {
  const readItem = itemReader(importedUserSchema)

  app.route({
    method: 'POST',
    url: '/users/import',
    bodyLimit: largestImport,
    config: { limit: 'import' },
    schema: {
      operationId: 'importUsers',
      summary: 'Import users',
      description:
        'Creates up to 500 users that another system had, with the hashes of their passwords. To send the same users again changes nothing. Much larger files are imported by `gatehouse users import`.',
      body: userImportSchema,
      response: {
        ...adminAnswers({ 200: userImportResultSchema }, 'invalid_request'),
        413: importTooLarge,
      },
    },
    async handler(request) {
      const { users, dry_run: dryRun = false, allow_admins: allowAdmins = false } = request.body
      const results = await importItems(users.map(readItem), async (valid) => {
        const message = { users: valid.map(importedUser), dryRun, allowAdmins, actor: actorOf(request) }
        const answer = await identity.importUsers(message, { deadline: Date.now() + timeout })
        return answer.results.map(importResult)
      })
      return { results }
    },
  })
}
