import type { ResourceServerToCreate as Body } from '@gatehouse/admin-api/generated/openapi'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { ApiError } from '../api.ts'
import { SchemaForm } from '../form/schema-form.tsx'
import { useNotices } from '../parts/notice.tsx'
import { Page } from '../parts/page.tsx'
import { renewAll } from '../queries.ts'
import { useTexts } from '../texts/language.ts'
import { otherResourceFields } from './field-texts.ts'
import { useFormSchemas } from './form-schemas.ts'
import { createResource } from './requests.ts'
import { areComplete, filledScopes, type Scope } from './scopes.ts'
import { ScopesEditor } from './scopes-editor.tsx'
import { resourceTexts } from './texts.ts'

/** The form for a new resource server. */
export function NewResource() {
  const t = useTexts(resourceTexts)
  const { done } = useNotices()
  const navigate = useNavigate()
  const { created: schema } = useFormSchemas()
  const [rows, setRows] = useState<readonly Scope[]>([{ scope: '', description: '' }])
  const [checked, setChecked] = useState(false)
  return (
    <Page title={t.create} about={t.newText}>
      <SchemaForm
        schema={schema}
        initial={{}}
        main={['identifier', 'name']}
        without={otherResourceFields}
        action={t.create}
        send={async (values) => {
          setChecked(true)
          if (!areComplete(rows)) throw new ApiError(400, 'invalid_request', t.scopesIncomplete)
          const { resource_id: id, name } = await createResource({
            ...values,
            scopes: filledScopes(rows),
          } as Body)
          void renewAll()
          done(t.created(name))
          await navigate({ to: `/resources/${encodeURIComponent(id)}` })
        }}
      >
        <ScopesEditor rows={rows} checked={checked} onChange={setRows} />
      </SchemaForm>
    </Page>
  )
}
