import { useQuery } from '@tanstack/react-query'
import { read } from '../api.ts'
import { useMay } from '../shell/administrator.tsx'

/** In milliseconds: names change rarely, and a list has many. */
const fresh = 300_000

/** The name of a client, which the logs do not have. @param id undefined when no name is needed @returns its id where its name is not known */
export function useClientName(id: string | undefined): string | undefined {
  const may = useMay()
  const client = useQuery({
    ...read('/admin/api/clients/{client_id}', { path: { client_id: id ?? '' } }),
    enabled: id !== undefined && may('clients', 'read'),
    staleTime: fresh,
  })
  return client.data?.client_name ?? id
}
