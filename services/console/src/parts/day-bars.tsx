import { Group, Table, Text } from '@mantine/core'
import { useLanguage } from '../texts/language.ts'
import classes from './day-bars.module.css'

/**
 * Bars of counts by day, one above the other.
 * @param title the name of the counted events, for screen readers, which get a table
 * @param days each day, the oldest first
 */
export function DayBars({
  title,
  series,
  days,
}: {
  title: string
  series: readonly { name: string; color: string }[]
  days: readonly { date: string; values: readonly number[] }[]
}) {
  const { language } = useLanguage()
  const most = Math.max(1, ...days.map(({ values }) => values.reduce((sum, value) => sum + value, 0)))
  const number = new Intl.NumberFormat(language)
  const day = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short', timeZone: 'UTC' })
  const words = ({ date, values }: (typeof days)[number]) =>
    `${day.format(new Date(date))}: ${values.map((value, at) => `${series[at]?.name} ${number.format(value)}`).join(', ')}`
  return (
    <figure className={classes.figure}>
      <div className={classes.bars} aria-hidden="true">
        {days.map((one) => (
          <div key={one.date} className={classes.day} title={words(one)}>
            {one.values.map((value, at) => (
              <span
                key={series[at]?.name}
                style={{ blockSize: `${(100 * value) / most}%`, background: series[at]?.color }}
              />
            ))}
          </div>
        ))}
      </div>
      <Group justify="space-between" aria-hidden="true">
        <Text size="xs" c="dimmed">
          {days[0] && day.format(new Date(days[0].date))}
        </Text>
        <Group gap="md">
          {series.map(({ name, color }) => (
            <Text key={name} size="xs">
              <span className={classes.mark} style={{ background: color }} /> {name}
            </Text>
          ))}
        </Group>
        <Text size="xs" c="dimmed">
          {days.length > 0 && day.format(new Date(days.at(-1)?.date ?? 0))}
        </Text>
      </Group>
      <Table className="unseen">
        <Table.Caption>{title}</Table.Caption>
        <Table.Tbody>
          {days
            .filter(({ values }) => values.some((value) => value > 0))
            .map((one) => (
              <Table.Tr key={one.date}>
                <Table.Td>{words(one)}</Table.Td>
              </Table.Tr>
            ))}
        </Table.Tbody>
      </Table>
    </figure>
  )
}
