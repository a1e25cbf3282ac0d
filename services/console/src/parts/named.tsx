import { Anchor, Group, Tooltip } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import { Copy } from './copy.tsx'

/** A link to a page of the console that looks like a link. */
export const PageLink = createLink(Anchor<'a'>)

/** A long name breaks where its place is narrower. */
const broken = { overflowWrap: 'break-word', minInlineSize: 0 } as const

/** A name that leads to its page. Its id shows on hover, and can be copied. */
export function Named({ name, id, to }: { name: string; id: string; to?: string }) {
  return (
    <Group gap={4} wrap="nowrap" miw={0}>
      <Tooltip label={id} events={{ hover: true, focus: true, touch: true }} disabled={name === id}>
        {to ? (
          <PageLink to={to} inherit style={broken}>
            {name}
          </PageLink>
        ) : (
          <span style={broken}>{name}</span>
        )}
      </Tooltip>
      <Copy value={id} label={name} />
    </Group>
  )
}

/** The same, in a column that a narrow table does not break after each few letters. */
export function RoomyName(named: Parameters<typeof Named>[0]) {
  return (
    <div style={{ minInlineSize: '8rem' }}>
      <Named {...named} />
    </div>
  )
}
