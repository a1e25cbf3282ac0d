import type { MappingRule } from '@gatehouse/admin-api/generated/openapi'
import { Code, Text } from '@mantine/core'
import { Panel } from '../parts/panel.tsx'
import { SmallTable } from '../parts/table/small-table.tsx'
import { useTexts } from '../texts/language.ts'
import { targetOf } from './mapping-rules.ts'
import { connectionTexts } from './texts/connection.ts'
import { mappingTexts } from './texts/mapping.ts'

/** The rules by which claims of a provider become attributes, groups and roles. */
export function MappingTable({ rules }: { rules: readonly MappingRule[] }) {
  const t = useTexts(mappingTexts)
  const { mapping } = useTexts(connectionTexts)
  return (
    <Panel title={mapping}>
      {rules.length === 0 ? (
        <Text size="sm">{t.empty}</Text>
      ) : (
        <SmallTable
          label={mapping}
          rows={rules}
          idOf={(rule) => JSON.stringify(rule)}
          columns={[
            [t.claim, ({ claim }) => <Code>{claim}</Code>],
            [t.value, ({ value }) => value !== undefined && <Code>{value}</Code>],
            [t.target, (rule) => <Target rule={rule} kind={t.targets[targetOf(rule)]} />],
          ]}
        />
      )}
    </Panel>
  )
}

function Target({
  rule: {
    to: { attribute, group, resource, role },
  },
  kind,
}: {
  rule: MappingRule
  kind: string
}) {
  return (
    <>
      <Text size="xs" c="dimmed">
        {kind}
      </Text>
      <bdi>{attribute ?? group ?? `${role} (${resource})`}</bdi>
    </>
  )
}
