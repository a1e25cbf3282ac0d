import type { Connection, MappingRule } from '@gatehouse/admin-api/generated/openapi'
import { RowsForm } from '../form/rows-form.tsx'
import { useTexts } from '../texts/language.ts'
import { MappingEditor } from './mapping-editor.tsx'
import { areComplete, filledRules, ruleText, storedRules, takenRules } from './mapping-rules.ts'
import { changeConnection, readConnection } from './requests.ts'
import { mappingTexts } from './texts/mapping.ts'

/** A form for the mapping of a connection. */
export function MappingForm({ connection }: { connection: Connection }) {
  const t = useTexts(mappingTexts)
  const { connection_id: id, organization } = connection
  return (
    <RowsForm<Connection, MappingRule>
      item={connection}
      read={() => readConnection(id)}
      send={(mapping, revision) => changeConnection(id, { mapping, revision })}
      list={{
        rowsOf: ({ mapping }) => storedRules(mapping),
        ...{ filled: filledRules, areComplete, takenFrom: takenRules },
        words: { save: t.save, takeTitle: t.takeTitle, takeEnds: t.takeEnds },
        editor: (props) => (
          <MappingEditor
            {...props}
            organization={organization}
            onChange={(rows) => props.onChange([...rows])}
          />
        ),
        items: (rules) => rules.map((rule) => ({ key: JSON.stringify(rule), shown: ruleText(rule) })),
      }}
    />
  )
}
