import type { WebhookDeliveryWithBody } from '@gatehouse/admin-api/generated/openapi'
import { Button, Paper } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useAction } from '../actions/use-action.ts'
import { read } from '../api.ts'
import { ClientName } from '../names/client-name.tsx'
import { UserById } from '../names/user-by-id.tsx'
import { Copy, CopyableCode } from '../parts/copy.tsx'
import { Facts } from '../parts/facts.tsx'
import { LoadedPage } from '../parts/loaded-page.tsx'
import { Moment } from '../parts/moment.tsx'
import { Page } from '../parts/page.tsx'
import { Panel } from '../parts/panel.tsx'
import { Preformatted } from '../parts/preformatted.tsx'
import { useMay } from '../shell/administrator.tsx'
import { commonTexts } from '../texts/common.ts'
import { useLanguage, useTexts } from '../texts/language.ts'
import { useDeliveryRetry } from './actions.ts'
import { DeliveryState } from './delivery-state.tsx'
import { atEvent } from './requests.ts'
import { eventTexts } from './texts.ts'

/** How often a delivery that is not over is read, in milliseconds. */
const interval = 2_000

/** Everything about how one event was posted to the webhook. */
export function DeliveryPage() {
  const { eventId = '' } = useParams({ strict: false })
  const query = useQuery({
    ...read('/admin/api/webhook-deliveries/{event_id}', atEvent(eventId).params),
    refetchInterval: ({ state }) =>
      ['waiting', 'failed'].includes(state.data?.state ?? '') ? interval : false,
  })
  return <LoadedPage query={query}>{(delivery) => <KnownDelivery delivery={delivery} />}</LoadedPage>
}

function KnownDelivery({ delivery }: { delivery: WebhookDeliveryWithBody }) {
  const t = useTexts(eventTexts)
  const mayWrite = useMay()('events', 'write')
  const { start, isPending } = useAction()
  const retry = useDeliveryRetry()
  return (
    <Page
      title={delivery.event_type}
      about={t.posted}
      actions={
        mayWrite && (
          <Button
            variant="default"
            loading={isPending}
            onClick={() => start(retry, delivery, delivery.event_type)}
          >
            {retry.label}
          </Button>
        )
      }
    >
      <Paper withBorder p="md">
        <DeliveryFacts delivery={delivery} />
      </Paper>
      <Body body={delivery.body} />
    </Page>
  )
}

function DeliveryFacts({ delivery }: { delivery: WebhookDeliveryWithBody }) {
  const t = useTexts(eventTexts)
  const common = useTexts(commonTexts)
  const { language } = useLanguage()
  const { client_id: clientId, user_id: userId, duration_ms: duration } = delivery
  return (
    <Facts
      facts={[
        [t.state, <DeliveryState key="state" delivery={delivery} />],
        [t.status, delivery.status],
        [t.attempts, delivery.attempts.toLocaleString(language)],
        [t.duration, duration !== undefined && t.milliseconds(duration.toLocaleString(language))],
        [t.changed, <Moment key="changed" at={delivery.changed_at} />],
        [t.client, clientId && <ClientName key="client" id={clientId} />],
        [t.user, userId && <UserById key="user" id={userId} />],
        [common.id, <CopyableCode key="id" value={delivery.event_id} label={common.id} />],
      ]}
    />
  )
}

/** The body that was posted. */
function Body({ body }: { body: string }) {
  const t = useTexts(eventTexts)
  const text = JSON.stringify(JSON.parse(body), null, 2)
  return (
    <Panel title={t.body} actions={<Copy value={text} label={t.body} />}>
      <Preformatted text={text} />
    </Panel>
  )
}
