import { Anchor, Badge, Text } from '@mantine/core'
import type { Answer } from '../api.ts'
import { Panel } from '../parts/panel.tsx'
import { SmallTable } from '../parts/table/small-table.tsx'
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
    <Panel
      title={t.processes}
      actions={
        <Text size="sm">
          {t.healthyOf(healthy.toLocaleString(language), replicas.length.toLocaleString(language))}
        </Text>
      }
      className={classes.place}
      id="processes"
    >
      <SmallTable
        label={t.processes}
        rows={replicas}
        idOf={({ service, instance, address }) => `${service} ${instance ?? address}`}
        columns={[
          [t.service, ({ service }) => service],
          [
            t.replica,
            ({ instance, address }) => <bdi title={address}>{instance ?? address ?? t.noneFound}</bdi>,
          ],
          [t.release, ({ version }) => <Release version={version} ofGateway={status.version} />],
          [
            common.state,
            ({ healthy }) => <Condition good={healthy} words={healthy ? t.healthy : t.unavailable} />,
          ],
          [
            t.database,
            ({ database }) =>
              database ? <Condition good={database === 'connected'} words={t[database]} /> : '–',
          ],
          [
            t.answered,
            ({ answered_in_ms: answered }) =>
              answered === undefined ? '–' : t.milliseconds(answered.toLocaleString(language)),
          ],
        ]}
      />
      <Text size="sm" c="dimmed" mt="xs">
        {t.gatewayNote}{' '}
        <Anchor href="/metrics" inherit underline="always">
          {t.metrics}
        </Anchor>
      </Text>
    </Panel>
  )
}

/** Unavailable replicas come first, then those without their database, then those of another release. */
function rankOf({ healthy, database, version }: Replica, status: Status): number {
  if (!healthy) return 0
  if (database === 'disconnected') return 1
  return version === status.version ? 3 : 2
}

function Release({ version, ofGateway }: { version: string | undefined; ofGateway: string }) {
  const t = useTexts(dashboardTexts)
  return (
    <>
      {version ?? '–'}{' '}
      {version !== undefined && version !== ofGateway && <Badge color="yellow">{t.otherRelease}</Badge>}
    </>
  )
}
