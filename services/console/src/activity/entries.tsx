import type { AuditEntry } from '@gatehouse/admin-api/generated/openapi'
import { Text } from '@mantine/core'
import type { Column } from '../list/definition.ts'
import { useTexts } from '../texts/language.ts'
import { Actor } from './actor.tsx'
import { Browser, Time } from './cells.tsx'
import { EntryChanges } from './entry-changes.tsx'
import { TargetLink } from './target.tsx'
import { actionTexts } from './texts/action.ts'
import { activityTexts } from './texts/texts.ts'

/** The columns of a list of audit entries. @param withTarget whether the entries are of several targets */
export function useEntryColumns({ withTarget }: { withTarget: boolean }): readonly Column<AuditEntry>[] {
  const t = useTexts(activityTexts)
  const actions = useTexts(actionTexts)
  const target: Column<AuditEntry> = {
    name: 'target',
    label: t.target,
    cell: (entry) => <TargetLink entry={entry} />,
  }
  return [
    { name: 'time', label: t.time, cell: ({ time }) => <Time at={time} /> },
    {
      name: 'actor',
      label: t.who,
      text: ({ actor }) => actor.name || actor.id,
      cell: ({ actor }) => <Actor actor={actor} />,
    },
    {
      name: 'ip_address',
      label: t.ipAddress,
      hidden: true,
      text: ({ actor }) => actor.ip_address,
      cell: ({ actor }) => actor.ip_address,
    },
    {
      name: 'user_agent',
      label: t.browser,
      hidden: true,
      text: ({ actor }) => actor.user_agent,
      cell: ({ actor }) => <Browser userAgent={actor.user_agent ?? ''} />,
    },
    {
      name: 'action',
      label: t.action,
      cell: ({ action }) => (
        <Text size="sm" title={action}>
          {actions[action] ?? action}
        </Text>
      ),
    },
    ...(withTarget ? [target] : []),
    {
      name: 'changes',
      label: t.changes,
      text: ({ before, after }) => (before || after ? { before, after } : undefined),
      cell: (entry) => <EntryChanges entry={entry} />,
    },
  ]
}
