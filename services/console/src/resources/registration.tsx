import type { ResourceServer } from '@gatehouse/admin-api/generated/openapi'
import { Button, Group, Text } from '@mantine/core'
import { useAct } from '../actions/act.ts'
import { useConfirmation } from '../actions/confirm.tsx'
import { Panel } from '../parts/panel.tsx'
import { useTexts } from '../texts/language.ts'
import type { SendChange } from './own-changes.ts'
import { resourceTexts } from './texts.ts'

/** Whether clients that register themselves may have the scopes of a resource server. */
export function Registration({
  resource: { name, revision, open_registration: open },
  send,
}: {
  resource: ResourceServer
  send: SendChange
}) {
  const t = useTexts(resourceTexts)
  const { act, isPending } = useAct()
  const { ask, dialog } = useConfirmation()
  const set = (wanted: boolean) => send({ open_registration: wanted, revision })
  // No undo for opening: closing again would revoke tokens.
  const openUp = () => act(() => set(true), t.openedNotice(name))
  const close = () => act(() => set(false), t.closedNotice(name))
  return (
    <Panel title={t.labels.open_registration}>
      <Group justify="space-between">
        <Text size="sm" maw={560}>
          {open ? t.openText : t.closedText}
        </Text>
        <Button
          variant={open ? 'light' : 'default'}
          color={open ? 'red' : undefined}
          loading={isPending}
          onClick={() =>
            open
              ? ask({ title: t.closeTitle, consequences: t.closeEnds, action: t.close, perform: close })
              : void openUp()
          }
        >
          {open ? t.close : t.open}
        </Button>
      </Group>
      {dialog}
    </Panel>
  )
}
