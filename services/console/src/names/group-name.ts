import { useQuery } from '@tanstack/react-query'
import { read } from '../api.ts'
import { useMay } from '../shell/administrator.tsx'

/** In milliseconds. */
const fresh = 300_000

/** The name of a group. @param id undefined when no name is needed @returns undefined where it is not known */
export function useGroupName(id: string | undefined): string | undefined {
  const mayRead = useMay()('groups', 'read')
  const { data } = useQuery({
    ...read('/admin/api/groups/{group_id}', { path: { group_id: id ?? '' } }),
    enabled: id !== undefined && mayRead,
    staleTime: fresh,
  })
  return data?.name
}
