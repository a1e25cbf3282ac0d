import type { ResourceServer } from '@gatehouse/admin-api/generated/openapi'
import { Code } from '@mantine/core'
import { RowsForm } from '../form/rows-form.tsx'
import { useTexts } from '../texts/language.ts'
import { type SendChange, storedRows } from './own-changes.ts'
import { areComplete, filledScopes, takenAway } from './scopes.ts'
import { ScopesEditor } from './scopes-editor.tsx'
import { resourceTexts } from './texts.ts'

/** A form for the scopes of a resource server. */
export function ScopesForm(form: { resource: ResourceServer; send: SendChange }) {
  const t = useTexts(resourceTexts)
  return (
    <RowsForm
      {...storedRows('scopes', form)}
      list={{
        rowsOf: ({ scopes }) => scopes,
        ...{ filled: filledScopes, areComplete, takenFrom: takenAway },
        words: { save: t.saveScopes, takeTitle: t.takeAwayTitle, takeEnds: t.takeAwayEnds },
        editor: (props) => <ScopesEditor {...props} onChange={(rows) => props.onChange([...rows])} />,
        items: (scopes) =>
          scopes.map(({ scope, description }) => ({
            key: scope,
            shown: (
              <>
                <Code>{scope}</Code> {description}
              </>
            ),
          })),
      }}
    />
  )
}
