import { Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { read } from '../api.ts'
import { Named } from '../parts/named.tsx'
import { useMay } from '../shell/administrator.tsx'
import { useTexts } from '../texts/language.ts'
import { organizationNameTexts } from './organization-texts.ts'

/** In milliseconds. */
const fresh = 300_000

/**
 * The name of an organization.
 * @param id undefined when no name is needed
 * @returns the name, or the id where it is not known, and the page of the organization if it can be seen
 */
export function useOrganizationName(id: string | undefined): {
  name: string | undefined
  to: string | undefined
} {
  const mayRead = useMay()('organizations', 'read')
  const { data, isError } = useQuery({
    ...read('/admin/api/organizations/{organization_id}', { path: { organization_id: id ?? '' } }),
    enabled: id !== undefined && mayRead,
    staleTime: fresh,
  })
  const to = id !== undefined && mayRead && !isError ? `/organizations/${encodeURIComponent(id)}` : undefined
  return { name: data?.name ?? id, to }
}

/** An organization by its name, which leads to its page. Its id stands where the name is not known. */
export function OrganizationName({ id }: { id: string }) {
  const { name = id, to } = useOrganizationName(id)
  return <Named name={name} id={id} to={to} />
}

/** Says to which organization the subject of a page belongs. */
export function OfOrganization({ id }: { id: string }) {
  const t = useTexts(organizationNameTexts)
  return (
    <Text size="sm" component="div">
      <Group gap={4}>
        {t.organization}
        <OrganizationName id={id} />
      </Group>
    </Text>
  )
}
