import type { ClientChange, OAuthClient } from '@gatehouse/admin-api/generated/openapi'
import { RevisedForm } from '../form/revised-form.tsx'
import { useClientSchema } from './field-schemas.ts'
import { formlessClientFields } from './field-texts.ts'
import { changeClient } from './requests.ts'

/** The form for the settings of a client, in the words of its metadata document. */
export function ClientSettings({ client }: { client: OAuthClient }) {
  const schema = useClientSchema('ClientChange')
  return (
    <RevisedForm
      schema={schema}
      current={client}
      main={['client_name', 'redirect_uris', 'grant_types', 'scope', 'first_party']}
      without={formlessClientFields}
      path="/admin/api/clients/{client_id}"
      params={{ path: { client_id: client.client_id } }}
      send={(change) => changeClient(client.client_id, change as ClientChange)}
    />
  )
}
