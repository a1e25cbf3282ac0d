import { Button } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { type Answer, readOnce } from '../api.ts'
import type { ItemOf, ListPath } from '../list/definition.ts'
import { useTexts } from '../texts/language.ts'
import { heldRoleTexts } from './texts/role.ts'

/** The most that the API gives at once. */
const limit = 200

/**
 * Reads a list of the API whose state is not in the address, so that a page can have several.
 * @returns the items that were read so far, the query, and a button that reads more, if there are more
 */
export function useAllPages<Path extends ListPath>(path: Path, params: { path: object; query?: object }) {
  const { more } = useTexts(heldRoleTexts)
  const query = useInfiniteQuery({
    queryKey: [path, params, 'all pages'] as const,
    queryFn: ({ signal, pageParam: cursor }) =>
      readOnce(path, { ...params, query: { ...params.query, limit, ...(cursor && { cursor }) } }, signal),
    initialPageParam: '',
    getNextPageParam: (page: Answer<Path>) => (page as { next_cursor?: string }).next_cursor,
  })
  const items = (query.data?.pages ?? []).flatMap((page) => (page as { items: ItemOf<Path>[] }).items)
  const button = query.hasNextPage && (
    <Button
      variant="default"
      size="xs"
      mt="sm"
      loading={query.isFetchingNextPage}
      onClick={() => void query.fetchNextPage()}
    >
      {more}
    </Button>
  )
  return { items, query, more: button }
}
