import type { ResourceServer } from '@gatehouse/admin-api/generated/openapi'
import { Code } from '@mantine/core'
import { RowsForm } from '../form/rows-form.tsx'
import { useTexts } from '../texts/language.ts'
import { type SendChange, storedRows } from './own-changes.ts'
import { roleTexts } from './role-texts.ts'
import { areSound, filledRoles, narrowedRoles } from './roles.ts'
import { RolesEditor } from './roles-editor.tsx'

/** A form for the roles of a resource server. */
export function RolesForm(form: { resource: ResourceServer; send: SendChange }) {
  const t = useTexts(roleTexts)
  const scopes = form.resource.scopes.map(({ scope }) => scope)
  return (
    <RowsForm
      {...storedRows('roles', form)}
      list={{
        rowsOf: ({ roles }) => roles,
        ...{ filled: filledRoles, areComplete: areSound, takenFrom: narrowedRoles },
        words: { save: t.saveRoles, takeTitle: t.takeRolesTitle, takeEnds: t.takeRolesEnds },
        editor: (props) => (
          <RolesEditor {...props} scopes={scopes} onChange={(rows) => props.onChange([...rows])} />
        ),
        items: (roles) =>
          roles.map(({ name, scopes }) => ({
            key: name,
            shown: (
              <>
                <Code>{name}</Code> {scopes.join(' ')}
              </>
            ),
          })),
      }}
    />
  )
}
