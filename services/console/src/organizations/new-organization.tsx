import type { OrganizationToCreate } from '@gatehouse/admin-api/generated/openapi'
import { Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { SchemaForm } from '../form/schema-form.tsx'
import { useNotices } from '../parts/notice.tsx'
import { Page } from '../parts/page.tsx'
import { renewAll } from '../queries.ts'
import { useAdministrator } from '../shell/administrator.tsx'
import { useTexts } from '../texts/language.ts'
import { fromForm } from './attributes.ts'
import { useOrganizationSchema } from './form-schema.ts'
import { createOrganization } from './requests.ts'
import { useMayWrite } from './rights.ts'
import { slugOf } from './slug.ts'
import { organizationTexts } from './texts/organization.ts'

const initial = { second_factor_required: false, sso_required: false }

/** The form for a new organization. */
export function NewOrganization() {
  const t = useTexts(organizationTexts)
  const { done } = useNotices()
  const navigate = useNavigate()
  const administrator = useAdministrator()
  const mayWrite = useMayWrite()
  const schema = useOrganizationSchema('OrganizationToCreate')
  if (!administrator.data) return null
  if (!mayWrite)
    return (
      <Page title={t.create}>
        <Text>{t.readOnly}</Text>
      </Page>
    )
  return (
    <Page title={t.create} about={t.newText}>
      <SchemaForm
        schema={schema}
        initial={initial}
        main={['name', 'slug']}
        suggest={({ name }) => (typeof name === 'string' ? { slug: slugOf(name) || undefined } : {})}
        action={t.create}
        send={async (values) => {
          const { organization_id: id, name } = await createOrganization(
            fromForm(values) as OrganizationToCreate,
          )
          void renewAll()
          done(t.created(name))
          await navigate({ to: `/organizations/${id}` })
        }}
      />
    </Page>
  )
}
