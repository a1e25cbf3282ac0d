import { useQuery } from '@tanstack/react-query'
import { read } from '../api.ts'
import { sections } from './sections.ts'

/** The administrator who is logged in to the console, and their rights. */
export function useAdministrator() {
  return useQuery({ ...read('/admin/api/me'), staleTime: 60_000 })
}

/**
 * Tells whether the logged-in administrator may do something.
 * @returns a function of the area and the access, such as `may('clients', 'write')`; it answers false until the role is known
 */
export function useMay() {
  const { data } = useAdministrator()
  return (area: string, access: 'read' | 'write') => {
    const scopes = data?.scopes ?? []
    return scopes.includes('admin') || scopes.includes(`admin:${area}:${access}`)
  }
}

/** The sections that the logged-in administrator may see. */
export function useSections() {
  const may = useMay()
  return sections.filter((section) => may(section.area, 'writes' in section ? 'write' : 'read'))
}
