import { Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

/** In place of a list that is empty. @param children the next step for people, such as a button */
export function Nothing({ title, text, children }: { title: string; text: string; children?: ReactNode }) {
  return (
    <Stack align="center">
      <Title order={2} size="h4">
        {title}
      </Title>
      <Text c="dimmed">{text}</Text>
      {children}
    </Stack>
  )
}
