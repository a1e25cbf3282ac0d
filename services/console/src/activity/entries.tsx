import type { AuditEntry } from '@gatehouse/admin-api/generated/openapi'
import { Text } from '@mantine/core'
import type { Column } from '../list/definition.ts'
import { Moment } from '../parts/moment.tsx'
import { Named } from '../parts/named.tsx'
import { useMay } from '../shell/administrator.tsx'
import { useTexts } from '../texts/language.ts'
import { actionTexts } from './action-texts.ts'
import { EntryChanges } from './entry-changes.tsx'
import { TargetLink } from './target.tsx'
import { activityTexts } from './texts.ts'

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
    { name: 'time', label: t.time, cell: ({ time }) => <Moment at={time} /> },
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

/** Who performed an action, with a link to their page. */
export function Actor({ actor: { kind, id, name } }: { actor: AuditEntry['actor'] }) {
  const may = useMay()
  const to = kind === 'user' ? `/users/${encodeURIComponent(id)}` : `/clients/${encodeURIComponent(id)}`
  return (
    <Named
      name={name || id}
      id={id}
      to={may(kind === 'user' ? 'users' : 'clients', 'read') ? to : undefined}
    />
  )
}
