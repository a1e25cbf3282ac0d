import type { ResourceServer } from '@gatehouse/admin-api/generated/openapi'
import { Button, Group, MultiSelect, Select, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { read } from '../api.ts'
import { useTexts } from '../texts/language.ts'
import { type Choice, useFound } from './found.tsx'
import type { Holder } from './holder.ts'
import { useOutcomes } from './outcomes.tsx'
import { changeRoles } from './requests.ts'
import { heldRoleTexts } from './texts/role.ts'

/** A form that gives roles of a resource server, which is chosen first, to a user or a group. */
export function GiveRoles({ holder }: { holder: Holder }) {
  const t = useTexts(heldRoleTexts)
  const [server, setServer] = useState<Choice>()
  const [roles, setRoles] = useState<readonly string[]>([])
  const { choices, input } = useFound('/admin/api/resources', choiceOf, server ? [server] : [])
  const { perform, busy, refusals } = useOutcomes({ done: t.gave, unchanged: t.present })
  const { data: resource } = useQuery({
    ...read('/admin/api/resources/{resource_id}', { path: { resource_id: server?.value ?? '' } }),
    enabled: server !== undefined,
  })
  const offered = resource?.roles ?? []
  const nothing = resource !== undefined && offered.length === 0
  return (
    <form
      onSubmit={async (event) => {
        event.preventDefault()
        if (server === undefined || roles.length === 0) return
        const give = roles.map((role) => ({ resource_id: server.value, role }))
        const sent = await perform(async () => {
          const { given } = await changeRoles(holder, { give })
          return given.map((result) => ({ ...result, name: result.role }))
        })
        if (sent) setRoles([])
      }}
    >
      <Stack gap="sm">
        <Group align="flex-end" gap="xs">
          <Select
            {...input}
            label={t.resource}
            placeholder={t.resourceHint}
            value={server?.value ?? null}
            onChange={(id) => {
              setServer(choices(id === null ? [] : [id])[0])
              setRoles([])
            }}
            style={{ flex: '1 1 14rem', maxInlineSize: '24rem' }}
          />
          <RoleChoice roles={offered} chosen={roles} onChange={setRoles} disabled={offered.length === 0} />
          <Button type="submit" loading={busy} disabled={roles.length === 0}>
            {t.give}
          </Button>
        </Group>
        {nothing && <Text size="sm">{t.noneOffered}</Text>}
        {refusals}
      </Stack>
    </form>
  )
}

function choiceOf({ resource_id: value, name: label, identifier: detail }: ResourceServer): Choice {
  return { value, label, detail }
}

function RoleChoice({
  roles,
  chosen,
  onChange,
  disabled,
}: {
  roles: ResourceServer['roles']
  chosen: readonly string[]
  onChange(roles: readonly string[]): void
  disabled: boolean
}) {
  const t = useTexts(heldRoleTexts)
  return (
    <MultiSelect
      label={t.rolesToGive}
      data={roles.map(({ name }) => name)}
      value={[...chosen]}
      onChange={onChange}
      disabled={disabled}
      searchable
      hidePickedOptions
      renderOption={({ option: { value } }) => (
        <div style={{ minInlineSize: 0 }}>
          <Text size="sm">{value}</Text>
          <Text size="xs" truncate>
            <bdi>{roles.find(({ name }) => name === value)?.description}</bdi>
          </Text>
        </div>
      )}
      style={{ flex: '1 1 14rem', maxInlineSize: '24rem' }}
    />
  )
}
