import type { ConnectionToCreate } from '@gatehouse/admin-api/generated/openapi'
import { NativeSelect, Select, Stack, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { SchemaForm } from '../form/schema-form.tsx'
import { type Choice, useFound } from '../groups/found.tsx'
import { useOrganizationName } from '../names/organization-name.tsx'
import { useAddressState } from '../parts/address.ts'
import { useNotices } from '../parts/notice.tsx'
import { Page } from '../parts/page.tsx'
import { renewAll } from '../queries.ts'
import { useAdministrator } from '../shell/administrator.tsx'
import { useTexts } from '../texts/language.ts'
import { mainSettings, useConnectionSchema } from './form-schema.ts'
import { type Kind, kindNames, kinds } from './kinds.ts'
import { createConnection } from './requests.ts'
import { useMayWrite } from './rights.ts'
import { connectionTexts } from './texts/connection.ts'

const initial = { trusts_second_factor: false, on_login_page: true }

/** The form for a new connection. */
export function NewConnection() {
  const t = useTexts(connectionTexts)
  const administrator = useAdministrator()
  const mayWrite = useMayWrite()
  if (!administrator.data) return null
  if (!mayWrite)
    return (
      <Page title={t.create}>
        <Text>{t.readOnly}</Text>
      </Page>
    )
  return (
    <Page title={t.create} about={t.newText}>
      <ConnectionForm />
    </Page>
  )
}

function ConnectionForm() {
  const t = useTexts(connectionTexts)
  const { done } = useNotices()
  const navigate = useNavigate()
  const { searchParams } = useAddressState()
  const [kind, setKind] = useState<Kind>('oidc')
  const [organization, setOrganization] = useState(searchParams.organization)
  const { schema, without } = useConnectionSchema('ConnectionToCreate', {
    ...{ kind, ofOrganization: organization !== undefined },
  })
  return (
    <Stack>
      <Stack maw={640}>
        <NativeSelect
          label={t.labels.kind}
          description={t.kindText}
          value={kind}
          onChange={({ currentTarget }) => setKind(currentTarget.value as Kind)}
          data={kinds.map((value) => ({ value, label: kindNames[value] }))}
        />
        <OrganizationInput value={organization} onChange={setOrganization} />
      </Stack>
      <SchemaForm
        schema={schema}
        initial={initial}
        main={mainSettings}
        without={without}
        action={t.create}
        send={async (values) => {
          // Values that were typed for another kind are not sent.
          const typed = Object.entries(values).filter(([name]) => !without.includes(name))
          const body = { ...Object.fromEntries(typed), kind, ...(organization && { organization }) }
          const { connection_id: id, name } = await createConnection(body as ConnectionToCreate)
          void renewAll()
          done(t.created(name))
          await navigate({ to: `/connections/${id}` })
        }}
      />
    </Stack>
  )
}

/** The organization that gets a connection, which is searched for. */
function OrganizationInput({
  value,
  onChange,
}: {
  value: string | undefined
  onChange(id: string | undefined): void
}) {
  const t = useTexts(connectionTexts)
  const { name = '' } = useOrganizationName(value)
  const chosen: Choice[] = value === undefined ? [] : [{ value, label: name, detail: '' }]
  const { input } = useFound(
    '/admin/api/organizations',
    ({ organization_id: id, name: label, slug: detail }) => ({ value: id, label, detail }),
    chosen,
  )
  return (
    <Select
      {...input}
      label={t.labels.organization}
      description={t.organizationText}
      placeholder={t.searchOrganization}
      value={value ?? null}
      onChange={(id) => onChange(id ?? undefined)}
      clearable
    />
  )
}
