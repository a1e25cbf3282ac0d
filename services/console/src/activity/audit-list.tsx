import { Stack, Text } from '@mantine/core'
import type { ListDefinition } from '../list/definition.ts'
import { List } from '../list/list.tsx'
import { Nothing } from '../parts/nothing.tsx'
import { useLanguage, useTexts } from '../texts/language.ts'
import { useEntryColumns } from './entries.tsx'
import { actionTexts } from './texts/action.ts'
import { activityTexts } from './texts/texts.ts'

/** Everything that administrators did. */
export function AuditList() {
  const t = useTexts(activityTexts)
  const actions = useTexts(actionTexts)
  const { language } = useLanguage()
  const columns = useEntryColumns({ withTarget: true })
  const list: ListDefinition<'/admin/api/audit'> = {
    path: '/admin/api/audit',
    id: ({ entry_id: id }) => id,
    nameOf: ({ action }) => action,
    live: true,
    exportName: 'audit',
    filters: [
      {
        name: 'action',
        label: t.action,
        kind: 'choice',
        choices: Object.entries(actions)
          .map(([value, label]) => ({ value, label }))
          .sort((one, other) => one.label.localeCompare(other.label, language)),
      },
      { name: 'actor_id', label: t.actorId, kind: 'text' },
      { name: 'target', label: t.targetId, kind: 'text' },
      { name: 'since', label: t.since, kind: 'moment' },
      { name: 'until', label: t.until, kind: 'moment' },
    ],
    columns,
    empty: <Nothing title={t.noActions} text={t.noActionsText} />,
  }
  return (
    <Stack>
      <Text size="sm">{t.auditText}</Text>
      <List list={list} />
    </Stack>
  )
}
