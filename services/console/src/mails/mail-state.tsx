import type { Mail } from '@gatehouse/admin-api/generated/openapi'
import { Badge, Stack, Text } from '@mantine/core'
import { useTexts } from '../texts/language.ts'
import { mailTexts } from './texts.ts'

const colors: Record<Mail['state'], string> = { waiting: 'blue', sent: 'teal', failed: 'red' }

/** The state of a mail, with what the mail server said when it did not take it. */
export function MailState({ mail: { state, failure } }: { mail: Mail }) {
  const t = useTexts(mailTexts)
  return (
    <Stack gap={2} align="flex-start">
      <Badge color={colors[state]}>{t.states[state]}</Badge>
      {failure && (
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }} maw={360} dir="auto">
          {failure}
        </Text>
      )}
    </Stack>
  )
}
