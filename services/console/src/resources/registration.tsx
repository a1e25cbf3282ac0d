import type { ResourceServer } from '@gatehouse/admin-api/generated/openapi'
import { useTexts } from '../texts/language.ts'
import type { SendChange } from './own-changes.ts'
import { SwitchPanel } from './switch-panel.tsx'
import { resourceTexts } from './texts.ts'

/** Whether clients that register themselves may have the scopes of a resource server. To close it ends tokens. */
export function Registration({
  resource: { name, revision, open_registration: open },
  send,
}: {
  resource: ResourceServer
  send: SendChange
}) {
  const t = useTexts(resourceTexts)
  return (
    <SwitchPanel
      title={t.labels.open_registration}
      text={open ? t.openText : t.closedText}
      action={open ? t.close : t.open}
      question={open ? { title: t.closeTitle, consequences: t.closeEnds } : undefined}
      perform={() => send({ open_registration: !open, revision })}
      notice={open ? t.closedNotice(name) : t.openedNotice(name)}
    />
  )
}
