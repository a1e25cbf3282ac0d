import type { WebhookDelivery } from '@gatehouse/admin-api/generated/openapi'
import { Badge, Stack, Text } from '@mantine/core'
import { useTexts } from '../texts/language.ts'
import { eventTexts } from './texts.ts'

const colors: Record<WebhookDelivery['state'], string> = {
  waiting: 'blue',
  delivered: 'teal',
  failed: 'orange',
  refused: 'red',
}

/** The state of a delivery, with why the last attempt failed. */
export function DeliveryState({ delivery: { state, failure } }: { delivery: WebhookDelivery }) {
  const t = useTexts(eventTexts)
  return (
    <Stack gap={2} align="flex-start">
      <Badge color={colors[state]}>{t.states[state]}</Badge>
      {failure && state !== 'waiting' && (
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }} maw={360} dir="auto">
          {failure}
        </Text>
      )}
    </Stack>
  )
}
