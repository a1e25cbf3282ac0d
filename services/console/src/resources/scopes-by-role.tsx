import type { ResourceServer } from '@gatehouse/admin-api/generated/openapi'
import { useTexts } from '../texts/language.ts'
import type { SendChange } from './own-changes.ts'
import { roleTexts } from './role-texts.ts'
import { SwitchPanel } from './switch-panel.tsx'
import { resourceTexts } from './texts.ts'

/** Whether roles give the scopes of a resource server. To switch that on ends tokens. */
export function ScopesByRole({
  resource: { name, revision, scopes_by_role: on },
  send,
}: {
  resource: ResourceServer
  send: SendChange
}) {
  const t = useTexts(roleTexts)
  const { labels } = useTexts(resourceTexts)
  const set = (wanted: boolean) => send({ scopes_by_role: wanted, revision })
  return (
    <SwitchPanel
      title={labels.scopes_by_role}
      text={on ? t.byRoleText : t.notByRoleText}
      action={on ? t.notByRole : t.byRole}
      question={on ? undefined : { title: t.byRoleTitle, consequences: t.byRoleEnds }}
      perform={() => set(!on)}
      notice={on ? t.notByRoleNotice(name) : t.byRoleNotice(name)}
    />
  )
}
