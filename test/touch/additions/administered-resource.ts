import type { Addition } from '../addition.ts'
import { newFile } from '../edit.ts'
import { bookmarkConsole } from './bookmark-console.ts'
import { bookmarkFaces } from './bookmark-faces.ts'
import { bookmarkService } from './bookmark-service.ts'

/**
 * A thing that administrators list, search, create, change and delete, in storage, service, API, command line, console and audit log:
 * bookmarks, in a part of the administration that there is already.
 */
export const administeredResource: Addition = {
  name: 'an administered resource',
  goal: 25,
  most: 22,
  entry: [
    newFile(
      'proto/administered/bookmarks.ts',
      `import { Type } from '@gatehouse/proto/typebox'
import { administered } from './administered.ts'

export const bookmarks = administered({
  path: '/bookmarks',
  words: {
    many: 'bookmarks',
    order: 'by name',
    search: 'A part of the name; with fewer than three characters, its beginning.',
  },
  sorts: ['name', '-name'],
  filters: {
    url: { schema: Type.String({ description: 'Only bookmarks of this address.' }), option: 'address <url>' },
  },
  columns: { name: {}, url: {}, bookmark_id: { hidden: true }, created_at: {} },
  table: { id: 'bookmark_id', name: 'name', url: 'url' },
})
`,
    ),
  ],
  // Nothing reads a definition that no route names.
  asks: [],
  rest: [...bookmarkService, ...bookmarkFaces, ...bookmarkConsole],
}
