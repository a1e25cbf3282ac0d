import { after, type Edit, newFile } from '../edit.ts'

const console = 'services/console/src'
const shellTexts = `${console}/shell/texts.ts`
const actions = `${console}/activity/texts/action.ts`

/** Bookmarks in the console. */
export const bookmarkConsole: readonly Edit[] = [
  newFile(
    `${console}/bookmarks/bookmarks.tsx`,
    `import schemas from 'virtual:form-schemas'
import type { BookmarkToCreate, BookmarkChange } from '@gatehouse/admin-api/generated/openapi'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useDeletion } from '../actions/deletion.ts'
import { DangerZone } from '../actions/danger.tsx'
import { api, dataOf, read } from '../api.ts'
import { SchemaForm } from '../form/schema-form.tsx'
import { translateSchema } from '../form/translate-schema.ts'
import type { ListDefinition } from '../list/definition.ts'
import { useDescribed } from '../list/described.tsx'
import { List } from '../list/list.tsx'
import { ButtonLink } from '../parts/button-link.tsx'
import { FailedPage, replacesPage } from '../parts/failed-page.tsx'
import { Named } from '../parts/named.tsx'
import { Nothing } from '../parts/nothing.tsx'
import { Page } from '../parts/page.tsx'
import { renewAll } from '../queries.ts'
import { useMay } from '../shell/administrator.tsx'
import { commonTexts } from '../texts/common.ts'
import { useTexts } from '../texts/language.ts'
import { bookmarkTexts } from './texts.ts'

const pageOf = (id: string) => \`/bookmarks/\${encodeURIComponent(id)}\`
const at = (id: string) => ({ params: { path: { bookmark_id: id } } })

export function BookmarkList() {
  const t = useTexts(bookmarkTexts)
  const create = useMay()('clients', 'write') && <ButtonLink to="/bookmarks/new">{t.create}</ButtonLink>
  const list: ListDefinition<'/admin/api/bookmarks'> = {
    ...useDescribed('/admin/api/bookmarks', {
      labels: t.labels,
      columns: {
        name: { cell: ({ bookmark_id: id, name }) => <Named name={name} id={id} to={pageOf(id)} /> },
      },
    }),
    id: ({ bookmark_id: id }) => id,
    nameOf: ({ name }) => name,
    searchHint: t.searchHint,
    exportName: 'bookmarks',
    empty: <Nothing title={t.empty} text={t.about} />,
  }
  return (
    <Page title={t.bookmarks} about={t.about} actions={create}>
      <List list={list} />
    </Page>
  )
}

export function NewBookmark() {
  const t = useTexts(bookmarkTexts)
  const navigate = useNavigate()
  return (
    <Page title={t.create} about={t.about}>
      <SchemaForm
        schema={translateSchema(schemas.BookmarkToCreate, (field) => [t.labels[field as 'name' | 'url']])}
        initial={{}}
        main={['name', 'url']}
        without={[]}
        action={t.create}
        send={async (values) => {
          const body = values as BookmarkToCreate
          const { bookmark_id: id } = await dataOf(api.POST('/admin/api/bookmarks', { body }))
          void renewAll()
          await navigate({ to: pageOf(id) })
        }}
      />
    </Page>
  )
}

export function BookmarkPage() {
  const { bookmarkId = '' } = useParams({ strict: false }) as { bookmarkId?: string }
  const t = useTexts(bookmarkTexts)
  const common = useTexts(commonTexts)
  const { data, error, refetch } = useQuery(read('/admin/api/bookmarks/{bookmark_id}', at(bookmarkId).params))
  const deletion = useDeletion(data?.name ?? '', '/bookmarks', t, () =>
    dataOf(api.DELETE('/admin/api/bookmarks/{bookmark_id}', at(bookmarkId))),
  )
  if (replacesPage(error, data)) return <FailedPage error={error} retry={refetch} />
  if (data === undefined) return null
  return (
    <Page title={data.name}>
      <SchemaForm
        schema={translateSchema(schemas.BookmarkChange, (field) => [t.labels[field as 'name' | 'url']])}
        initial={data}
        main={['name', 'url']}
        without={[]}
        action={common.save}
        send={async (values) => {
          const body = values as BookmarkChange
          await dataOf(api.PATCH('/admin/api/bookmarks/{bookmark_id}', { ...at(bookmarkId), body }))
          void renewAll()
        }}
      />
      <DangerZone title={common.delete} actions={[deletion]} />
    </Page>
  )
}
`,
  ),
  newFile(
    `${console}/bookmarks/texts.ts`,
    `import type { Labels } from '../list/labels.ts'
import { declareTexts } from '../texts/language.ts'

export const bookmarkTexts = declareTexts({
${['en', 'de', 'ar'].map(textsIn).join('')}})
`,
  ),
  after(
    `${console}/router.tsx`,
    `const pages = [\n`,
    `  createRoute({
    ...at('/bookmarks'),
    component: lazyRouteComponent(() => import('./bookmarks/bookmarks.tsx'), 'BookmarkList'),
  }),
  createRoute({
    ...at('/bookmarks/new'),
    component: lazyRouteComponent(() => import('./bookmarks/bookmarks.tsx'), 'NewBookmark'),
  }),
  createRoute({
    ...at('/bookmarks/$bookmarkId'),
    component: lazyRouteComponent(() => import('./bookmarks/bookmarks.tsx'), 'BookmarkPage'),
  }),
`,
  ),
  after(
    `${console}/shell/sections.ts`,
    `  { name: 'events', path: '/events', area: 'events' },\n`,
    `  { name: 'bookmarks', path: '/bookmarks', area: 'clients' },\n`,
  ),
  after(shellTexts, `    resources: 'Resource servers',\n`, `    bookmarks: 'Bookmarks',\n`),
  after(shellTexts, `    resources: 'Resource-Server',\n`, `    bookmarks: 'Lesezeichen',\n`),
  after(shellTexts, `    resources: 'خوادم الموارد',\n`, `    bookmarks: 'إشارات',\n`),
  ...['Create client', 'Client anlegen', 'إنشاء عميل'].map((text) =>
    after(
      actions,
      `    'client.create': '${text}',\n`,
      `    'bookmark.create': 'Create bookmark',
    'bookmark.update': 'Change bookmark',
    'bookmark.delete': 'Delete bookmark',
`,
    ),
  ),
  after('services/gateway/src/admin/console.ts', `  withItems: [`, `'bookmarks', `),
  after(
    'services/console/form-schemas.ts',
    `  'Invitation',\n`,
    `  'BookmarkToCreate',\n  'BookmarkChange',\n`,
  ),
  after(`${console}/environment.d.ts`, `    | 'Invitation'`, ` | 'BookmarkToCreate' | 'BookmarkChange'`),
  // The tests of every form.
  after(
    'services/console/test/form-words.test.ts',
    `  ResourceServerChange: { others: otherResourceFields, words: resourceWords },\n`,
    `  BookmarkToCreate: { others: [], words: () => ({ name: ['Name', ''], url: ['Address', ''] }) },
  BookmarkChange: { others: [], words: () => ({ name: ['Name', ''], url: ['Address', ''] }) },
`,
  ),
]

/** The texts of a language; those of the others would differ. */
function textsIn(language: string): string {
  const satisfies = language === 'en' ? ` satisfies Labels<'/admin/api/bookmarks'>` : ''
  return `  ${language}: {
    bookmarks: 'Bookmarks',
    about: 'Addresses that administrators keep.',
    create: 'Create bookmark',
    searchHint: 'A part of the name',
    empty: 'No bookmarks yet',
    labels: { bookmark_id: 'ID', name: 'Name', url: 'Address' }${satisfies},
    deleteText: 'Deletes the bookmark for good.',
    deleteTitle: (name: string) => \`Delete \${name}?\`,
    deleteEnds: ['This cannot be undone.'],
    deleted: (name: string) => \`\${name} is deleted.\`,
  },
`
}
