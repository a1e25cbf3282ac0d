import { useQuery } from '@tanstack/react-query'
import { read } from '../api.ts'
import { Named } from '../parts/named.tsx'
import { useMay } from '../shell/administrator.tsx'

/** In milliseconds. */
const fresh = 300_000

/** A user by their name, which leads to their page. Their id stands where the name is not known. */
export function UserById({ id }: { id: string }) {
  const mayRead = useMay()('users', 'read')
  const { data, isError } = useQuery({
    ...read('/admin/api/users/{user_id}', { path: { user_id: id } }),
    enabled: mayRead,
    staleTime: fresh,
  })
  return (
    <Named
      name={data?.username ?? id}
      id={id}
      to={mayRead && !isError ? `/users/${encodeURIComponent(id)}` : undefined}
    />
  )
}
