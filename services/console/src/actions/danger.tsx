import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { type Question, useConfirmation } from './confirm.tsx'

/** The actions that cannot be undone, apart from everything else on a page. */
export function DangerZone({
  title,
  actions,
}: {
  title: string
  actions: readonly { text: string; question: Question }[]
}) {
  const { ask, dialog } = useConfirmation()
  return (
    <Paper withBorder p="md" style={{ borderColor: 'var(--mantine-color-red-outline)' }}>
      <Title order={2} size="h4" mb="sm">
        {title}
      </Title>
      <Stack>
        {actions.map(({ text, question }) => (
          <Group key={question.title} justify="space-between">
            <Text size="sm" maw={560}>
              {text}
            </Text>
            <Button color="red" variant="light" onClick={() => ask(question)}>
              {question.action}
            </Button>
          </Group>
        ))}
      </Stack>
      {dialog}
    </Paper>
  )
}
