import { useQuery } from '@tanstack/react-query'
import { read } from '../api.ts'
import { useMay } from '../shell/administrator.tsx'

/** In milliseconds. */
const fresh = 300_000

/**
 * The name of a connection.
 * @param id undefined when no name is needed
 * @returns undefined where it is not known
 */
export function useConnectionName(id: string | undefined): string | undefined {
  const mayRead = useMay()('connections', 'read')
  const { data } = useQuery({
    ...read('/admin/api/connections/{connection_id}', { path: { connection_id: id ?? '' } }),
    enabled: id !== undefined && mayRead,
    staleTime: fresh,
  })
  return data?.name
}
