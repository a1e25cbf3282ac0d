import type { ResourceServer } from '@gatehouse/admin-api/generated/openapi'
import { Button, Group, MultiSelect, Select, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { read } from '../api.ts'
import { useTexts } from '../texts/language.ts'
import { type Choice, useFound } from './found.tsx'
import type { Holder } from './holder.ts'
import { useOutcomes } from './outcomes.tsx'
import { changeRoles } from './requests.ts'
import { heldRoleTexts } from './texts/role.ts'

/** Roles of one resource server that people choose. */
export type ChosenRoles = { server: Choice | undefined; roles: readonly string[] }

/** When nothing is chosen yet. */
export const noRoles: ChosenRoles = { server: undefined, roles: [] }

/** The chosen roles, as requests name them. */
export function namedRoles({ server, roles }: ChosenRoles) {
  return server === undefined ? [] : roles.map((role) => ({ resource_id: server.value, role }))
}

/** A form that gives roles of a resource server, which is chosen first, to a user or a group. */
export function GiveRoles({ holder }: { holder: Holder }) {
  const t = useTexts(heldRoleTexts)
  const [chosen, setChosen] = useState(noRoles)
  const { perform, busy, refusals } = useOutcomes({ done: t.gave, unchanged: t.present })
  const give = namedRoles(chosen)
  return (
    <form
      onSubmit={async (event) => {
        event.preventDefault()
        if (give.length === 0) return
        const sent = await perform(async () => {
          const { given } = await changeRoles(holder, { give })
          return given.map((result) => ({ ...result, name: result.role }))
        })
        if (sent) setChosen({ ...chosen, roles: [] })
      }}
    >
      <Stack gap="sm">
        <RoleInputs chosen={chosen} onChange={setChosen}>
          <Button type="submit" loading={busy} disabled={give.length === 0}>
            {t.give}
          </Button>
        </RoleInputs>
        {refusals}
      </Stack>
    </form>
  )
}

/** The inputs for roles of a resource server. @param children what stands beside them */
export function RoleInputs({
  chosen: { server, roles },
  onChange,
  children,
}: {
  chosen: ChosenRoles
  onChange(chosen: ChosenRoles): void
  children?: ReactNode
}) {
  const t = useTexts(heldRoleTexts)
  const { choices, input } = useFound('/admin/api/resources', choiceOf, server ? [server] : [])
  const { data: resource } = useQuery({
    ...read('/admin/api/resources/{resource_id}', { path: { resource_id: server?.value ?? '' } }),
    enabled: server !== undefined,
  })
  const offered = resource?.roles ?? []
  const nothing = resource !== undefined && offered.length === 0
  return (
    <>
      <Group align="flex-end" gap="xs">
        <Select
          {...input}
          label={t.resource}
          placeholder={t.resourceHint}
          value={server?.value ?? null}
          onChange={(id) => onChange({ server: choices(id === null ? [] : [id])[0], roles: [] })}
          style={{ flex: '1 1 14rem', maxInlineSize: '24rem' }}
        />
        <RoleChoice
          roles={offered}
          chosen={roles}
          onChange={(names) => onChange({ server, roles: names })}
          disabled={offered.length === 0}
        />
        {children}
      </Group>
      {nothing && <Text size="sm">{t.noneOffered}</Text>}
    </>
  )
}

/** A resource server, as people choose it. */
export function choiceOf({ resource_id: value, name: label, identifier: detail }: ResourceServer): Choice {
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
