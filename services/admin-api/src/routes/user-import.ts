import type { App } from '@gatehouse/http/app'
import { largestImport } from '@gatehouse/proto/imports'
import { actorOf } from '../administrator.ts'
import type { AdminDeps } from '../deps.ts'
import { importTooLarge, itemReader } from '../import-item.ts'
import { adminAnswers } from '../schemas.ts'
import {
  type ImportResultBody,
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
      const items = users.map(readItem)
      const valid = items.flatMap((item) => (typeof item === 'string' ? [] : [importedUser(item)]))
      const message = { users: valid, dryRun, allowAdmins, actor: actorOf(request) }
      const { results } =
        valid.length === 0
          ? { results: [] }
          : await identity.importUsers(message, { deadline: Date.now() + timeout })
      const next = results.values()
      return {
        results: items.map((item): ImportResultBody => {
          if (typeof item === 'string') return { outcome: 'invalid', reason: item }
          const { value } = next.next()
          if (value === undefined) throw new Error('the identity service gave too few results')
          return { ...importResult(value), ...(item.source !== undefined && { source: item.source }) }
        }),
      }
    },
  })
}
