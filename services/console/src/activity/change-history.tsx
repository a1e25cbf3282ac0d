import { Stack } from '@mantine/core'
import type { ListDefinition } from '../list/definition.ts'
import { List } from '../list/list.tsx'
import { Nothing } from '../parts/nothing.tsx'
import { useTexts } from '../texts/language.ts'
import { useEntryColumns } from './entries.tsx'
import { activityTexts } from './texts/texts.ts'

/** The changes of something, with their authors and times. @param target its id in the audit log; for a resource server its identifier */
export function ChangeHistory({ target }: { target: string }) {
  const t = useTexts(activityTexts)
  const columns = useEntryColumns({ withTarget: false })
  const list: ListDefinition<'/admin/api/audit'> = {
    path: '/admin/api/audit',
    params: { query: { target } },
    id: ({ entry_id: id }) => id,
    nameOf: ({ action }) => action,
    exportName: 'changes',
    columns,
    empty: <Nothing title={t.noActions} text={t.noActionsText} />,
  }
  return (
    <Stack>
      <List list={list} />
    </Stack>
  )
}
