import { ActionIcon, Code, CopyButton, Group, Tooltip } from '@mantine/core'
import { commonTexts } from '../texts/common.ts'
import { useTexts } from '../texts/language.ts'
import { Icon } from './icons.tsx'

/** A button that copies a value. @param label says what is copied, for screen readers */
export function Copy({ value, label }: { value: string; label?: string }) {
  const t = useTexts(commonTexts)
  return (
    <CopyButton value={value}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? t.copied : t.copy}>
          <ActionIcon
            variant="subtle"
            color={copied ? 'teal' : 'gray'}
            size="sm"
            onClick={(event) => {
              event.stopPropagation()
              copy()
            }}
            aria-label={`${copied ? t.copied : t.copy}${label ? `: ${label}` : ''}`}
          >
            <Icon name={copied ? 'check' : 'copy'} size={14} />
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  )
}

/** A value as it is, with a button that copies it. */
export function CopyableCode({ value, label }: { value: string; label?: string }) {
  return (
    <Group gap={4} wrap="nowrap">
      <Code style={{ overflowWrap: 'anywhere' }}>{value}</Code>
      <Copy value={value} label={label} />
    </Group>
  )
}
