import { useQuery } from '@tanstack/react-query'
import { read } from '../api.ts'
import { useMay } from '../shell/administrator.tsx'

/** The most that the API gives at once. */
const limit = 200

/** The name of a client, which the logs do not have. @param id undefined when no name is needed @returns its id where its name is not known */
export function useClientName(id: string | undefined): string | undefined {
  const may = useMay()
  const clients = useQuery({
    ...read('/admin/api/clients', { query: { limit } }),
    enabled: id !== undefined && may('clients', 'read'),
    staleTime: 60_000,
  })
  return clients.data?.items.find(({ client_id: one }) => one === id)?.client_name ?? id
}
