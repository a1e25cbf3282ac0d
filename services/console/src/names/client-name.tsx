import { useQuery } from '@tanstack/react-query'
import { ApiError, read } from '../api.ts'
import { RoomyName } from '../parts/named.tsx'
import { useMay } from '../shell/administrator.tsx'

/** In milliseconds: names change rarely, and a list has many. */
const fresh = 300_000

/**
 * The name of a client, which other lists do not have.
 * @param id undefined when no name is needed
 * @returns the name, or the id where it is not known, and the page of the client if it has one
 */
export function useClientName(id: string | undefined): { name: string | undefined; to: string | undefined } {
  const mayRead = useMay()('clients', 'read')
  const { data, error } = useQuery({
    ...read('/admin/api/clients/{client_id}', { path: { client_id: id ?? '' } }),
    enabled: id !== undefined && mayRead,
    staleTime: fresh,
  })
  const gone = error instanceof ApiError && error.status === 404
  const to = id !== undefined && mayRead && !gone ? `/clients/${encodeURIComponent(id)}` : undefined
  return { name: data?.client_name ?? id, to }
}

/** A client by its name, which leads to its page. Its id stands where the name is not known. */
export function ClientName({ id }: { id: string }) {
  const { name = id, to } = useClientName(id)
  return <RoomyName name={name} id={id} to={to} />
}
