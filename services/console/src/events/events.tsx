import { Button, Stack } from '@mantine/core'
import { useAct } from '../actions/act.ts'
import { api, dataOf } from '../api.ts'
import { EventBackends } from '../dashboard/event-backends.tsx'
import { Page } from '../parts/page.tsx'
import { useMay } from '../shell/administrator.tsx'
import { useTexts } from '../texts/language.ts'
import { DeliveryList } from './delivery-list.tsx'
import { eventTexts } from './texts.ts'

/** The backends that events go to, and what was posted to the webhook. */
export function Events() {
  const t = useTexts(eventTexts)
  const mayWrite = useMay()('events', 'write')
  const { act, isPending } = useAct()
  const test = () => dataOf(api.POST('/admin/api/webhook-deliveries/test', {}))
  return (
    <Page
      title={t.events}
      about={t.about}
      actions={
        mayWrite && (
          <Button variant="default" loading={isPending} onClick={() => void act(test, t.tested)}>
            {t.test}
          </Button>
        )
      }
    >
      <Stack>
        <EventBackends />
        <DeliveryList />
      </Stack>
    </Page>
  )
}
