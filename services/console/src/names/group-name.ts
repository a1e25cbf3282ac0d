import { useQuery } from '@tanstack/react-query'
import { read } from '../api.ts'
import { useMay } from '../shell/administrator.tsx'
import { type Place, pathIn } from './place.ts'

/** In milliseconds. */
const fresh = 300_000

/**
 * The name of a group.
 * @param id undefined when no name is needed
 * @param place the organization that has it, or the instance
 * @returns undefined where it is not known
 */
export function useGroupName(id: string | undefined, place: Place): string | undefined {
  const mayRead = useMay()(place.organization_id === undefined ? 'groups' : 'organizations', 'read')
  const { data } = useQuery({
    ...read(pathIn(place, '/admin/api/groups/{group_id}'), { path: { ...place, group_id: id ?? '' } }),
    enabled: id !== undefined && mayRead,
    staleTime: fresh,
  })
  return data?.name
}
