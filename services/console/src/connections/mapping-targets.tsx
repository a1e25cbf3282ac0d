import { Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { read } from '../api.ts'
import { type Choice, useFound } from '../groups/found.tsx'
import { pathIn } from '../names/place.ts'
import { useTexts } from '../texts/language.ts'
import { mappingTexts } from './texts/mapping.ts'

/** Something that is chosen by its name, which is also its value. */
const named = (value: string): Choice[] => (value === '' ? [] : [{ value, label: value, detail: '' }])

/** A group, which is searched for, by its name. @param organization undefined for those of the instance */
export function GroupInput({
  organization,
  value,
  error,
  onChange,
}: {
  organization: string | undefined
  value: string
  error: ReactNode
  onChange(group: string): void
}) {
  const t = useTexts(mappingTexts)
  const place = organization === undefined ? {} : { organization_id: organization }
  const { input } = useFound(
    pathIn(place, '/admin/api/groups'),
    ({ name, description }) => ({ value: name, label: name, detail: description }),
    named(value),
    place,
  )
  return (
    <Select
      {...input}
      label={t.group}
      placeholder={t.searchGroup}
      value={value || null}
      error={error}
      onChange={(group) => onChange(group ?? '')}
      miw="12rem"
    />
  )
}

/** A role of a resource server, both of which are searched for. */
export function RoleInput({
  resource,
  role,
  missing,
  onChange,
}: {
  resource: string
  role: string
  missing(text: string): ReactNode
  onChange(role: { resource: string; role: string }): void
}) {
  const t = useTexts(mappingTexts)
  const { input } = useFound(
    '/admin/api/resources',
    ({ identifier, name }) => ({ value: identifier, label: name, detail: identifier }),
    named(resource),
  )
  const { data } = useQuery({
    ...read('/admin/api/resources', { query: { identifier: resource } }),
    enabled: resource !== '',
  })
  const roles = data?.items[0]?.roles.map(({ name }) => name) ?? []
  return (
    <>
      <Select
        {...input}
        label={t.resource}
        placeholder={t.searchResource}
        value={resource || null}
        error={missing(resource)}
        onChange={(identifier) => onChange({ resource: identifier ?? '', role: '' })}
        miw="12rem"
      />
      <Select
        label={t.role}
        data={[...new Set([...roles, ...(role === '' ? [] : [role])])]}
        value={role || null}
        error={missing(role)}
        onChange={(name) => onChange({ resource, role: name ?? '' })}
        searchable
        miw="12rem"
      />
    </>
  )
}
