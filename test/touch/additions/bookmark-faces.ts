import { after, type Edit, newFile } from '../edit.ts'

const adminApi = 'services/admin-api/src'
const cli = 'deploy/cli/src'

/** Bookmarks in the administrators' API and in the command line. */
export const bookmarkFaces: readonly Edit[] = [
  after(
    `${adminApi}/admin-api.ts`,
    `import { auditRoutes } from './routes/audit.ts'\n`,
    `import { bookmarkRoutes } from './routes/bookmarks.ts'\n`,
  ),
  after(`${adminApi}/admin-api.ts`, `clients: [clientRoutes, `, `bookmarkRoutes, `),
  newFile(
    `${adminApi}/routes/bookmarks.ts`,
    `import type { App } from '@gatehouse/http/app'
import { bookmarks } from '@gatehouse/proto/administered/bookmarks'
import type { Bookmark } from '@gatehouse/proto/clientregistry/v1'
import { Type } from '@gatehouse/proto/typebox'
import { administeredList } from '../administered.ts'
import type { AdminDeps } from '../deps.ts'
import { operationRoute } from '../operation.ts'
import { done, moment, momentOf } from '../schemas.ts'

const example = {
  bookmark_id: '<BOOKMARK_ID>',
  name: 'Runbook',
  url: 'https://wiki.example',
  created_at: '2026-01-01T00:00:00.000Z',
}
const name = Type.String({ title: 'Name' })
const url = Type.String({ title: 'Address' })
const item = Type.Object(
  { bookmark_id: Type.String(), name, url, created_at: moment('When the bookmark was created.') },
  { title: 'Bookmark', description: 'The bookmark.', examples: [example] },
)

function bodyOf(bookmark: Bookmark | undefined) {
  if (bookmark === undefined) throw new Error('the client registry gave no bookmark')
  const { bookmarkId, name, url, createdAt } = bookmark
  return { bookmark_id: bookmarkId, name, url, created_at: momentOf(createdAt) }
}

export function bookmarkRoutes(app: App, { clientRegistry }: AdminDeps): void {
  administeredList(app, bookmarks, {
    operationId: 'listBookmarks',
    item,
    example,
    find: clientRegistry.listBookmarks,
    items: ({ bookmarks }) => bookmarks.map(bodyOf),
  })
  operationRoute(app, {
    route: 'GET /bookmarks/:bookmark_id',
    operationId: 'getBookmark',
    summary: 'Get a bookmark',
    answer: { 200: item },
    refusals: ['not_found'],
    perform: async ({ params }) =>
      bodyOf((await clientRegistry.getBookmark({ bookmarkId: params.bookmark_id })).bookmark),
  })
  operationRoute(app, {
    route: 'POST /bookmarks',
    operationId: 'createBookmark',
    summary: 'Create a bookmark',
    body: Type.Object({ name, url }, { title: 'BookmarkToCreate', examples: [example] }),
    answer: { 201: item },
    perform: async ({ body: { name, url }, actor }) =>
      bodyOf((await clientRegistry.createBookmark({ name, url, actor })).bookmark),
  })
  operationRoute(app, {
    route: 'PATCH /bookmarks/:bookmark_id',
    operationId: 'updateBookmark',
    summary: 'Update a bookmark',
    body: Type.Object(
      { name: Type.Optional(name), url: Type.Optional(url) },
      { title: 'BookmarkChange', examples: [{ name: 'Runbook' }] },
    ),
    answer: { 200: item },
    refusals: ['not_found'],
    async perform({ params, body: { name, url }, actor }) {
      const bookmarkId = params.bookmark_id
      return bodyOf((await clientRegistry.updateBookmark({ bookmarkId, name, url, actor })).bookmark)
    },
  })
  operationRoute(app, {
    route: 'DELETE /bookmarks/:bookmark_id',
    operationId: 'deleteBookmark',
    summary: 'Delete a bookmark',
    answer: done('The bookmark is deleted.'),
    refusals: ['not_found'],
    perform: ({ params, actor }) => clientRegistry.deleteBookmark({ bookmarkId: params.bookmark_id, actor }),
  })
}
`,
  ),
  after(
    `${cli}/program.ts`,
    `import { adminCommands } from './commands/admin.ts'\n`,
    `import { bookmarkCommands } from './commands/bookmarks.ts'\n`,
  ),
  after(`${cli}/program.ts`, `const groups = [\n`, `  bookmarkCommands,\n`),
  newFile(
    `${cli}/commands/bookmarks.ts`,
    `import type { Bookmark, BookmarkChange } from '@gatehouse/admin-api/generated/openapi'
import { bookmarks } from '@gatehouse/proto/administered/bookmarks'
import { type Command, Option } from 'commander'
import { addAdministeredList } from '../administered-list.ts'
import { dataOf } from '../api.ts'
import { adderTo, addOptions, type CommandDeps } from '../command.ts'
import { fields } from '../output.ts'

const at = (id: string) => ({ params: { path: { bookmark_id: id } } })
const shown = (json: Bookmark) => ({ json, text: fields({ id: json.bookmark_id, name: json.name, url: json.url }) })

export function bookmarkCommands(program: Command, deps: CommandDeps): void {
  const group = program.command('bookmarks').description('addresses that administrators keep')
  const add = adderTo(group, deps)
  addAdministeredList(group, bookmarks, '/admin/api/bookmarks', deps)
  add('show <bookmark>', 'show one bookmark', async (api, id: string) =>
    shown(await dataOf(api.GET('/admin/api/bookmarks/{bookmark_id}', at(id)))),
  )
  add('create <name> <url>', 'create a bookmark', async (api, name: string, url: string) =>
    shown(await dataOf(api.POST('/admin/api/bookmarks', { body: { name, url } }))),
  )
  const update = add('update <bookmark>', 'change a bookmark', async (api, id: string) =>
    shown(await dataOf(api.PATCH('/admin/api/bookmarks/{bookmark_id}', { ...at(id), body: changes() }))),
  )
  const changes = addOptions<BookmarkChange>(update, {
    name: new Option('--name <name>', 'its name'),
    url: new Option('--address <url>', 'its address'),
  })
  add('delete <bookmark>', 'delete a bookmark', async (api, id: string) => {
    await dataOf(api.DELETE('/admin/api/bookmarks/{bookmark_id}', at(id)))
    return { json: { bookmark_id: id, deleted: true }, text: \`\${id} is deleted.\` }
  })
}
`,
  ),
]
