import { useQuery } from '@tanstack/react-query'
import { ApiError, read } from '../api.ts'
import { Named } from '../parts/named.tsx'
import { useMay } from '../shell/administrator.tsx'

/** In milliseconds: names change rarely, and a list has many. */
const fresh = 300_000

/** A client by its name, which leads to its page. Its id stands where the name is not known. */
export function ClientName({ id }: { id: string }) {
  const mayRead = useMay()('clients', 'read')
  const { data, error } = useQuery({
    ...read('/admin/api/clients/{client_id}', { path: { client_id: id } }),
    enabled: mayRead,
    staleTime: fresh,
  })
  const gone = error instanceof ApiError && error.status === 404
  return (
    <Named
      name={data?.client_name ?? id}
      id={id}
      to={mayRead && !gone ? `/clients/${encodeURIComponent(id)}` : undefined}
    />
  )
}
