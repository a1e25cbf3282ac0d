import type { ClientChange, OAuthClient } from '@gatehouse/admin-api/generated/openapi'
import { Stack } from '@mantine/core'
import { RevisedForm } from '../form/revised-form.tsx'
import { ClientRoles } from './client-roles.tsx'
import { useClientSchema } from './field-schemas.ts'
import { formlessClientFields, hidesProofFields } from './field-texts.ts'
import { changeClient } from './requests.ts'

/** The forms for the settings of a client, in the words of its metadata document. Its roles have one of their own: they can end tokens. */
export function ClientSettings({ client }: { client: OAuthClient }) {
  const schema = useClientSchema('ClientChange')
  return (
    <Stack gap="xl">
      <RevisedForm
        schema={schema}
        current={client}
        main={['client_name', 'redirect_uris', 'grant_types', 'scope', 'first_party']}
        without={[...formlessClientFields, ...hidesProofFields(client)]}
        path="/admin/api/clients/{client_id}"
        params={{ path: { client_id: client.client_id } }}
        send={(change) => changeClient(client.client_id, change as ClientChange)}
      />
      <ClientRoles client={client} />
    </Stack>
  )
}
