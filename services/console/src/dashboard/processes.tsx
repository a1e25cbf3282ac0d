import { Anchor, Badge, Group, Paper, Table, Text, Title } from '@mantine/core'
import type { Answer } from '../api.ts'
import { Scrollable } from '../parts/scrollable.tsx'
import { commonTexts } from '../texts/common.ts'
import { useLanguage, useTexts } from '../texts/language.ts'
import { Condition } from './condition.tsx'
import classes from './dashboard.module.css'
import { dashboardTexts } from './texts.ts'

type Status = Answer<'/admin/api/status'>
type Replica = Status['services'][number]['replicas'][number] & { service: string }

/** The processes of the system, with what is not right first. */
export function Processes({ status }: { status: Status }) {
  const common = useTexts(commonTexts)
  const t = useTexts(dashboardTexts)
  const { language } = useLanguage()
  const replicas = status.services
    .flatMap(({ service, replicas: all }) => all.map((replica): Replica => ({ service, ...replica })))
    .sort((one, other) => rankOf(one, status) - rankOf(other, status))
  const healthy = replicas.filter((replica) => replica.healthy).length
  return (
    <Paper withBorder p="md" className={classes.place} id="processes">
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h4">
          {t.processes}
        </Title>
        <Text size="sm">
          {t.healthyOf(healthy.toLocaleString(language), replicas.length.toLocaleString(language))}
        </Text>
      </Group>
      <Scrollable label={t.processes}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              {[t.service, t.replica, t.release, common.state, t.database, t.answered].map((heading) => (
                <Table.Th key={heading}>{heading}</Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {replicas.map((replica) => (
              <Row
                key={`${replica.service} ${replica.instance ?? replica.address}`}
                replica={replica}
                release={status.version}
              />
            ))}
          </Table.Tbody>
        </Table>
      </Scrollable>
      <Text size="sm" c="dimmed" mt="xs">
        {t.gatewayNote}{' '}
        <Anchor href="/metrics" inherit underline="always">
          {t.metrics}
        </Anchor>
      </Text>
    </Paper>
  )
}

/** Unavailable replicas come first, then those without their database, then those of another release. */
function rankOf({ healthy, database, version }: Replica, status: Status): number {
  if (!healthy) return 0
  if (database === 'disconnected') return 1
  return version === status.version ? 3 : 2
}

function Row({ replica, release }: { replica: Replica; release: string }) {
  const t = useTexts(dashboardTexts)
  const { language } = useLanguage()
  const { service, instance, address, version, healthy, database, answered_in_ms: answered } = replica
  return (
    <Table.Tr>
      <Table.Td>{service}</Table.Td>
      <Table.Td>
        <bdi title={address}>{instance ?? address ?? t.noneFound}</bdi>
      </Table.Td>
      <Table.Td>
        {version ?? '–'}{' '}
        {version !== undefined && version !== release && <Badge color="yellow">{t.otherRelease}</Badge>}
      </Table.Td>
      <Table.Td>
        <Condition good={healthy} words={healthy ? t.healthy : t.unavailable} />
      </Table.Td>
      <Table.Td>
        {database ? <Condition good={database === 'connected'} words={t[database]} /> : '–'}
      </Table.Td>
      <Table.Td style={{ whiteSpace: 'nowrap' }}>
        {answered === undefined ? '–' : t.milliseconds(answered.toLocaleString(language))}
      </Table.Td>
    </Table.Tr>
  )
}
