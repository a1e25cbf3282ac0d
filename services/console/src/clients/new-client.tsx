import type { ClientToCreate as Body, ClientWithSecret } from '@gatehouse/admin-api/generated/openapi'
import { Stack } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { SchemaForm } from '../form/schema-form.tsx'
import { ButtonLink } from '../parts/button-link.tsx'
import { useNotices } from '../parts/notice.tsx'
import { Page } from '../parts/page.tsx'
import { Secret } from '../parts/secret.tsx'
import { renewAll } from '../queries.ts'
import { useTexts } from '../texts/language.ts'
import { useClientSchema } from './field-schemas.ts'
import { hidesProofFields, proofFields, withoutAlways } from './field-texts.ts'
import { KeySetInput } from './keys/key-set-input.tsx'
import { createClient } from './requests.ts'
import { clientTexts } from './texts.ts'

/** The form for a new client, then its secret. */
export function NewClient() {
  const t = useTexts(clientTexts)
  const schema = useClientSchema('ClientToCreate')
  const { done } = useNotices()
  const navigate = useNavigate()
  const [created, setCreated] = useState<ClientWithSecret>()
  const page = (client: ClientWithSecret) => `/clients/${encodeURIComponent(client.client_id)}`

  if (created?.client_secret)
    return (
      <Page title={created.client_name} about={t.created}>
        <Stack align="flex-start">
          <Secret title={t.secretTitle} text={t.secretText} secret={created.client_secret} />
          <ButtonLink to={page(created)}>{t.toClient}</ButtonLink>
        </Stack>
      </Page>
    )
  return (
    <Page title={t.create}>
      <SchemaForm
        schema={schema}
        initial={{ grant_types: ['authorization_code'], scope: 'read', first_party: false }}
        main={[
          'client_name',
          'grant_types',
          'redirect_uris',
          'scope',
          'token_endpoint_auth_method',
          ...proofFields,
          'first_party',
        ]}
        without={withoutAlways}
        hides={hidesProofFields}
        inputs={{ jwks: KeySetInput }}
        action={t.create}
        send={async (values) => {
          const client = await createClient({
            grant_types: ['authorization_code'],
            scope: 'read',
            ...values,
          } as Body)
          void renewAll()
          setCreated(client)
          if (client.client_secret) return
          done(t.created)
          await navigate({ to: page(client) })
        }}
      />
    </Page>
  )
}
