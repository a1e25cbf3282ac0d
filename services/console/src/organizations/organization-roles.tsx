import { Select, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { read } from '../api.ts'
import { useFound } from '../groups/found.tsx'
import { choiceOf } from '../groups/give-roles.tsx'
import { RoleHolders } from '../groups/role-holders.tsx'
import { heldRoleTexts } from '../groups/texts/role.ts'
import { useAddressState } from '../parts/address.ts'
import { useTexts } from '../texts/language.ts'
import { organizationTexts } from './texts/organization.ts'

/** The members and groups of an organization that have a role. The address says of which resource server. */
export function OrganizationRoles({ id }: { id: string }) {
  const t = useTexts(heldRoleTexts)
  const { rolesText } = useTexts(organizationTexts)
  const { searchParams, setSearchParams } = useAddressState()
  const { resource_id: resourceId } = searchParams
  const { data: resource } = useQuery({
    ...read('/admin/api/resources/{resource_id}', { path: { resource_id: resourceId ?? '' } }),
    enabled: resourceId !== undefined,
  })
  const { input } = useFound('/admin/api/resources', choiceOf, resource ? [choiceOf(resource)] : [])
  return (
    <Stack>
      <Text size="sm">{rolesText}</Text>
      <Select
        {...input}
        label={t.resource}
        placeholder={t.resourceHint}
        value={resource?.resource_id ?? null}
        onChange={(chosen) =>
          setSearchParams({ resource_id: chosen ?? undefined, role: undefined, cursor: undefined })
        }
        maw={480}
      />
      {resource && (
        <RoleHolders key={resource.resource_id} resource={resource} place={{ organization_id: id }} />
      )}
    </Stack>
  )
}
