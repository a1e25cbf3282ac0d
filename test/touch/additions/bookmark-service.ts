import { after, type Edit, newFile } from '../edit.ts'

const proto = 'proto/gatehouse/clientregistry/v1/clientregistry.proto'
const registry = 'services/client-registry/src'

/** Bookmarks in the table of PostgreSQL, in the contract and in the client registry. */
export const bookmarkService: readonly Edit[] = [
  after(
    'prisma/schema/clients.prisma',
    `  @@map("resource_servers")
  @@schema("clients")
}
`,
    `
/// The addresses that administrators keep.
model Bookmark {
  bookmarkId String   @id @map("bookmark_id") @db.Uuid
  name       String
  url        String
  createdAt  DateTime @default(now()) @map("created_at") @db.Timestamptz(6)

  @@map("bookmarks")
  @@schema("clients")
}
`,
  ),
  newFile(
    'prisma/migrations/20270101000000_bookmarks/migration.sql',
    `create table clients.bookmarks (
  bookmark_id uuid           not null,
  name        text           not null,
  url         text           not null,
  created_at  timestamptz(6) not null default now(),
  constraint bookmarks_pkey primary key (bookmark_id)
);
create index bookmarks_lower_name_idx on clients.bookmarks (lower(name) text_pattern_ops, bookmark_id);
`,
  ),
  after(
    proto,
    `  rpc DeleteResourceServer(DeleteResourceServerRequest) returns (DeleteResourceServerResponse);
`,
    `  // Bookmarks, for administrators.
  rpc ListBookmarks(ListBookmarksRequest) returns (ListBookmarksResponse);
  rpc GetBookmark(GetBookmarkRequest) returns (GetBookmarkResponse);
  rpc CreateBookmark(CreateBookmarkRequest) returns (CreateBookmarkResponse);
  rpc UpdateBookmark(UpdateBookmarkRequest) returns (UpdateBookmarkResponse);
  rpc DeleteBookmark(DeleteBookmarkRequest) returns (DeleteBookmarkResponse);
`,
  ),
  after(
    proto,
    `message LookupRegisteredOriginResponse {
  bool listed = 1;
}
`,
    `
message Bookmark {
  string bookmark_id = 1;
  string name = 2;
  string url = 3;
  google.protobuf.Timestamp created_at = 4;
}

message ListBookmarksRequest {
  optional string search = 1;
  optional string cursor = 2;
  uint32 limit = 3;
  optional string sort = 4;
  map<string, string> filters = 5;
}

message ListBookmarksResponse {
  repeated Bookmark bookmarks = 1;
  optional string next_cursor = 2;
  uint64 total = 3;
}

message GetBookmarkRequest {
  string bookmark_id = 1;
}

message GetBookmarkResponse {
  Bookmark bookmark = 1;
}

message CreateBookmarkRequest {
  string name = 1;
  string url = 2;
  gatehouse.audit.v1.Actor actor = 3;
}

message CreateBookmarkResponse {
  Bookmark bookmark = 1;
}

message UpdateBookmarkRequest {
  string bookmark_id = 1;
  optional string name = 2;
  optional string url = 3;
  gatehouse.audit.v1.Actor actor = 4;
}

message UpdateBookmarkResponse {
  Bookmark bookmark = 1;
}

message DeleteBookmarkRequest {
  string bookmark_id = 1;
  gatehouse.audit.v1.Actor actor = 2;
}

message DeleteBookmarkResponse {}
`,
  ),
  newFile(
    `${registry}/bookmarks/bookmark.ts`,
    `import type { Actor } from '@gatehouse/kit/actor'
import type { ListStore } from '@gatehouse/kit/administered/list-request'
import { Refusal } from '@gatehouse/kit/errors'
import type { bookmarks } from '@gatehouse/proto/administered/bookmarks'

export type Settings = { name: string; url: string }
export type Bookmark = Settings & { bookmarkId: string; createdAt: Date }

export type BookmarkStore = ListStore<typeof bookmarks, Bookmark> & {
  get(bookmarkId: string): Promise<Bookmark | undefined>
  create(settings: Settings, actor: Actor): Promise<Bookmark>
  change(bookmarkId: string, change: Partial<Settings>, actor: Actor): Promise<Bookmark | undefined>
  delete(bookmarkId: string, actor: Actor): Promise<Bookmark | undefined>
}

/** @throws Refusal invalid_request */
export function checkSettings<Change extends Partial<Settings>>({ name, url, ...others }: Change): Change {
  if (name?.trim() === '') throw new Refusal('invalid_request', 'name must not be empty.')
  if (url !== undefined && !URL.canParse(url)) throw new Refusal('invalid_request', 'url must be a URL.')
  return { ...others, ...(name !== undefined && { name }), ...(url !== undefined && { url }) } as Change
}

/** @throws Refusal not_found */
export function existing(bookmark: Bookmark | undefined): Bookmark {
  if (bookmark === undefined) throw new Refusal('not_found', 'There is no such bookmark.')
  return bookmark
}
`,
  ),
  newFile(
    `${registry}/store/bookmarks.ts`,
    `import { randomUUIDv7 } from 'node:crypto'
import { auditedTransactions } from '@gatehouse/data/audit'
import { readPage } from '@gatehouse/data/list'
import type { List } from '@gatehouse/data/list-rows'
import type { KeepEvent } from '@gatehouse/data/pending-events'
import { countRows } from '@gatehouse/data/row-count'
import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import { isUuid } from '@gatehouse/kit/formats'
import type { Database, Prisma } from '@gatehouse/prisma/database'
import type { FilterValues } from '@gatehouse/proto/administered/administered'
import type { bookmarks as definition } from '@gatehouse/proto/administered/bookmarks'
import type { Bookmark, BookmarkStore } from '../bookmarks/bookmark.ts'

type Filter = FilterValues<typeof definition>

const list: List<Filter> = {
  rows: \`select bookmark_id as "bookmarkId", name, url, created_at as "createdAt", lower(name) as lower_name
    from clients.bookmarks\`,
  matches: (pattern) => \`r.lower_name like lower(\${pattern})\`,
  sorts: { name: [{ column: 'r.lower_name', type: 'bytes' }, { column: 'r."bookmarkId"', type: 'uuid' }] },
  conditions: { url: (url, parameter) => \`r.url = \${parameter(url)}\` },
}

export function createBookmarkStore(database: Pick<Database, 'pool' | 'prisma'>, keepEvent: KeepEvent): BookmarkStore {
  const audited = auditedTransactions(database, 'clients', keepEvent)
  return {
    list: (wanted) => readPage<Bookmark, Filter>(database, list, wanted),
    total: () => countRows(database, 'clients.bookmarks'),
    get: (bookmarkId) => translateDatabaseErrors(find(database.prisma, bookmarkId)),
    create: ({ name, url }, actor) =>
      audited(async (transaction, write) => {
        const bookmarkId = randomUUIDv7()
        await transaction.$executeRaw\`
          insert into clients.bookmarks (bookmark_id, name, url) values (\${bookmarkId}::uuid, \${name}, \${url})\`
        await write({ actor, action: 'bookmark.create', target: bookmarkId, after: { name, url } })
        const made = await find(transaction, bookmarkId)
        if (made === undefined) throw new Error('the new bookmark is gone')
        return made
      }),
    change: (bookmarkId, { name = null, url = null }, actor) =>
      audited(async (transaction, write) => {
        const before = await find(transaction, bookmarkId)
        if (before === undefined) return undefined
        await transaction.$executeRaw\`
          update clients.bookmarks set name = coalesce(\${name}, name), url = coalesce(\${url}, url)
          where bookmark_id = \${bookmarkId}::uuid\`
        const after = await find(transaction, bookmarkId)
        await write({ actor, action: 'bookmark.update', target: bookmarkId, before, after })
        return after
      }),
    delete: (bookmarkId, actor) =>
      audited(async (transaction, write) => {
        const before = await find(transaction, bookmarkId)
        if (before === undefined) return undefined
        await transaction.$executeRaw\`delete from clients.bookmarks where bookmark_id = \${bookmarkId}::uuid\`
        await write({ actor, action: 'bookmark.delete', target: bookmarkId, before })
        return before
      }),
  }
}

async function find(prisma: Pick<Prisma.TransactionClient, '$queryRaw'>, bookmarkId: string) {
  if (!isUuid(bookmarkId)) return undefined
  const [row] = await prisma.$queryRaw<Bookmark[]>\`
    select bookmark_id as "bookmarkId", name, url, created_at as "createdAt"
    from clients.bookmarks where bookmark_id = \${bookmarkId}::uuid\`
  return row
}
`,
  ),
  newFile(
    `${registry}/rpc/bookmark-rpc.ts`,
    `import { readActor } from '@gatehouse/kit/actor'
import { listAdministered } from '@gatehouse/kit/administered/list-request'
import { handlersOf } from '@gatehouse/kit/rpc/rpc-server'
import { bookmarks } from '@gatehouse/proto/administered/bookmarks'
import { ClientRegistryServiceService } from '@gatehouse/proto/clientregistry/v1'
import { type BookmarkStore, checkSettings, existing } from '../bookmarks/bookmark.ts'

export function bookmarkRpcs(store: BookmarkStore) {
  return handlersOf(ClientRegistryServiceService, {
    async listBookmarks(request) {
      const { items, nextCursor, total } = await listAdministered(bookmarks, request, store)
      return { bookmarks: items, nextCursor, total: BigInt(total) }
    },
    getBookmark: async ({ bookmarkId }) => ({ bookmark: existing(await store.get(bookmarkId)) }),
    createBookmark: async ({ actor, ...settings }) => ({
      bookmark: await store.create(checkSettings(settings), readActor(actor)),
    }),
    async updateBookmark({ bookmarkId, name, url, actor }) {
      const change = { ...(name !== undefined && { name }), ...(url !== undefined && { url }) }
      return { bookmark: existing(await store.change(bookmarkId, checkSettings(change), readActor(actor))) }
    },
    async deleteBookmark({ bookmarkId, actor }) {
      existing(await store.delete(bookmarkId, readActor(actor)))
      return {}
    },
  })
}
`,
  ),
  after(
    `${registry}/rpc/rpc.ts`,
    `import { type AdminRpcDeps, adminRpcs } from './admin-rpc.ts'
`,
    `import type { BookmarkStore } from '../bookmarks/bookmark.ts'
import { bookmarkRpcs } from './bookmark-rpc.ts'
`,
  ),
  after(
    `${registry}/rpc/rpc.ts`,
    `  resourceServers: ResourceServerRpcDeps\n`,
    `  bookmarks: BookmarkStore\n`,
  ),
  after(`${registry}/rpc/rpc.ts`, `  registered,\n  resourceServers,\n`, `  bookmarks,\n`),
  after(
    `${registry}/rpc/rpc.ts`,
    `    ...resourceServerRpcs(resourceServers),\n`,
    `    ...bookmarkRpcs(bookmarks),\n`,
  ),
  after(
    `${registry}/main.ts`,
    `import { createClientChangeStore, findChange } from './store/client-changes.ts'\n`,
    `import { createBookmarkStore } from './store/bookmarks.ts'\n`,
  ),
  after(
    `${registry}/main.ts`,
    `        findTakenNames: clientNames(database),\n`,
    `        bookmarks: createBookmarkStore(database, keepEvent),\n`,
  ),
  // Tests that have everything that the RPCs need.
  after(
    'services/client-registry/test/registry.ts',
    `import type { RpcDeps } from '../src/rpc/rpc.ts'\n`,
    `import { createBookmarkStore } from '../src/store/bookmarks.ts'\n`,
  ),
  after(
    'services/client-registry/test/registry.ts',
    `    findTakenNames: clientNames(database),\n`,
    `    bookmarks: createBookmarkStore(database, keepNothing),\n`,
  ),
]
