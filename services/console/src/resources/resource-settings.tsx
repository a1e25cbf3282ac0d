import type { ResourceServer, ResourceServerChange } from '@gatehouse/admin-api/generated/openapi'
import { Stack } from '@mantine/core'
import { RevisedForm } from '../form/revised-form.tsx'
import { otherResourceFields } from './field-texts.ts'
import { useFormSchemas } from './form-schemas.ts'
import { useOwnChanges } from './own-changes.ts'
import { Registration } from './registration.tsx'
import { atResource } from './requests.ts'
import { RolesForm } from './roles-form.tsx'
import { ScopesByRole } from './scopes-by-role.tsx'
import { ScopesForm } from './scopes-form.tsx'

/** The settings of a resource server. Its scopes, its roles and what is on or off have forms of their own, because they can end tokens. */
export function ResourceSettings({ resource }: { resource: ResourceServer }) {
  const { changed: schema } = useFormSchemas()
  const { resource_id: id } = resource
  const send = useOwnChanges(id)
  return (
    <Stack gap="xl">
      <RevisedForm
        schema={schema}
        current={resource}
        main={['name', 'token_lifetime', 'client_id', 'token_claims', 'claims_shape']}
        without={[...otherResourceFields, 'open_registration']}
        path="/admin/api/resources/{resource_id}"
        params={atResource(id).params}
        send={(change) => send(withoutLifetime(change))}
      />
      <ScopesForm resource={resource} send={send} />
      <RolesForm resource={resource} send={send} />
      <ScopesByRole resource={resource} send={send} />
      <Registration resource={resource} send={send} />
    </Stack>
  )
}

/** The API takes a lifetime of 0 for none, where the form has an empty input. */
function withoutLifetime(change: Readonly<Record<string, unknown>>): ResourceServerChange {
  return change.token_lifetime === '' ? { ...change, token_lifetime: 0 } : change
}
