import { useQuery } from '@tanstack/react-query'
import { read } from '../api.ts'
import { Named } from '../parts/named.tsx'
import { useMay } from '../shell/administrator.tsx'

/** In milliseconds. */
const fresh = 300_000

/**
 * The name of a user.
 * @param id undefined when no name is needed
 * @returns the name, or the id where it is not known, and the page of the user if it can be seen
 */
export function useUserName(id: string | undefined): { name: string | undefined; to: string | undefined } {
  const mayRead = useMay()('users', 'read')
  const { data, isError } = useQuery({
    ...read('/admin/api/users/{user_id}', { path: { user_id: id ?? '' } }),
    enabled: id !== undefined && mayRead,
    staleTime: fresh,
  })
  const to = id !== undefined && mayRead && !isError ? `/users/${encodeURIComponent(id)}` : undefined
  return { name: data?.username ?? id, to }
}

/** A user by their name, which leads to their page. Their id stands where the name is not known. */
export function UserById({ id }: { id: string }) {
  const { name = id, to } = useUserName(id)
  return <Named name={name} id={id} to={to} />
}
