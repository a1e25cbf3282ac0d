import { administered } from '@gatehouse/proto/administered/administered'
import { Type } from '@gatehouse/proto/typebox'
import { describe, expect, test } from 'vitest'
import { listAdministered, type WantedList } from '../../src/administered/list-request.ts'
import { filtersForLastRelease } from '../../src/administered/released-filters.ts'

const things = administered({
  path: '/things',
  words: { many: 'things', order: 'newest first', search: 'A part of the name.' },
  sorts: ['-created_at', 'name'],
  filters: {
    in_use: { schema: Type.Boolean() },
    kind: { schema: Type.Enum(['a', 'b']) },
    owner: { schema: Type.String() },
  },
  columns: { name: {} },
  table: { name: 'name' },
})

/** The pages for which the store is asked. */
async function wantedFor(request: object): Promise<WantedList<typeof things>> {
  let asked: WantedList<typeof things> | undefined
  await listAdministered(
    things,
    { filters: {}, limit: 50, ...request },
    {
      async list(wanted) {
        asked = wanted
        return { items: [], nextCursor: undefined }
      },
      total: async () => 7,
    },
  )
  return asked ?? expect.unreachable('the store was asked')
}

test('a list has the page of its store, and the total', async () => {
  const store = { list: async () => ({ items: ['x'], nextCursor: 'n' }), total: async () => 7 }
  const request = { filters: {}, limit: 50 }
  expect(await listAdministered(things, request, store)).toEqual({ items: ['x'], nextCursor: 'n', total: 7 })
})

test('a request is checked and read by the definition', async () => {
  const filters = { in_use: 'false', kind: 'b', owner: 'ann' }
  expect(await wantedFor({ search: ' x ', filters })).toEqual({
    ...{ search: 'x', sort: '-created_at', limit: 50 },
    filter: { in_use: false, kind: 'b', owner: 'ann' },
  })
})

describe('what is refused', () => {
  test.each([
    [{ limit: 0 }, 'limit must be a whole number from 1 to 200.'],
    [{ sort: 'owner' }, 'sort must be one of -created_at, name.'],
    [{ filters: { in_use: '1' } }, 'in_use is invalid.'],
    [{ filters: { kind: 'c' } }, 'kind is invalid.'],
    [{ filters: { owner: 'a\0' } }, 'owner is invalid.'],
  ])('%j', async (request, detail) => {
    await expect(wantedFor(request)).rejects.toMatchObject({ code: 'invalid_request', message: detail })
  })

  test('a filter that only a newer release knows: other items than those asked for are worse than none', async () => {
    const unknown = wantedFor({ filters: { toString: 'x' } })
    await expect(unknown).rejects.toMatchObject({ code: 'temporarily_unavailable' })
  })
})

describe('the last release', () => {
  test('sends its filters as fields', async () => {
    expect((await wantedFor({ inUse: true, kind: undefined, owner: 'ann' })).filter).toEqual({
      in_use: true,
      owner: 'ann',
    })
  })

  test('reads them so', () => {
    expect(filtersForLastRelease(things, { in_use: false, kind: 'b' })).toEqual({
      inUse: false,
      kind: 'b',
      owner: undefined,
    })
  })
})
