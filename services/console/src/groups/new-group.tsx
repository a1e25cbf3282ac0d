import type { GroupToCreate } from '@gatehouse/admin-api/generated/openapi'
import { Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { SchemaForm } from '../form/schema-form.tsx'
import { groupsAddress } from '../names/place.ts'
import { useNotices } from '../parts/notice.tsx'
import { Page } from '../parts/page.tsx'
import { renewAll } from '../queries.ts'
import { useAdministrator } from '../shell/administrator.tsx'
import { useTexts } from '../texts/language.ts'
import { useGroupSchema } from './form-schema.ts'
import { createGroup } from './requests.ts'
import { useGroupRights } from './rights.ts'
import { groupTexts } from './texts/group.ts'
import { usePlace } from './use-place.ts'

/** The form for a new group, in the place that the address says. */
export function NewGroup() {
  const t = useTexts(groupTexts)
  const { done } = useNotices()
  const navigate = useNavigate()
  const administrator = useAdministrator()
  const place = usePlace()
  const { mayWrite } = useGroupRights(place)
  const schema = useGroupSchema('GroupToCreate')
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
        initial={{}}
        main={['name', 'description']}
        action={t.create}
        send={async (values) => {
          const { group_id: id, name } = await createGroup(place, values as GroupToCreate)
          void renewAll()
          done(t.created(name))
          await navigate({ to: groupsAddress(place, `/${id}`) })
        }}
      />
    </Page>
  )
}
