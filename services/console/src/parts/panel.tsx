import { Group, Paper, type PaperProps, Title } from '@mantine/core'
import type { ReactNode } from 'react'

/** A framed part of a page. @param actions the buttons or words beside its title */
export function Panel({
  title,
  actions,
  children,
  ...frame
}: PaperProps & { id?: string; title: ReactNode; actions?: ReactNode; children: ReactNode }) {
  return (
    <Paper withBorder p="md" {...frame}>
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h4">
          {title}
        </Title>
        {actions}
      </Group>
      {children}
    </Paper>
  )
}
