import { Table, Text } from '@mantine/core'
import { Panel } from '../parts/panel.tsx'
import { useLanguage, useTexts } from '../texts/language.ts'
import classes from './dashboard.module.css'
import { refusalTexts } from './refusal-texts.ts'
import { dashboardTexts } from './texts.ts'
import { type Period, totalsOf } from './usage.ts'

/** Why token requests were refused, the most frequent reason first. */
export function Refusals({ periods }: { periods: readonly Period[] }) {
  const t = useTexts(dashboardTexts)
  const reasons = useTexts(refusalTexts)
  const { language } = useLanguage()
  const rows = Object.entries(totalsOf(periods).refusals).sort(([, one], [, other]) => other - one)
  return (
    <Panel title={t.refusals} className={classes.place} id="refusals">
      {rows.length === 0 ? (
        <Text>{t.noRefusals}</Text>
      ) : (
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t.reason}</Table.Th>
              <Table.Th w="6rem">{t.count}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map(([code, count]) => (
              <Table.Tr key={code}>
                <Table.Td>
                  {reasons[code] ?? code}{' '}
                  {reasons[code] && (
                    <Text span size="xs" c="dimmed" ff="monospace">
                      <bdi>{code}</bdi>
                    </Text>
                  )}
                </Table.Td>
                <Table.Td>{count.toLocaleString(language)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Panel>
  )
}
