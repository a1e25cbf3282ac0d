import { Text } from '@mantine/core'
import { useTexts } from '../texts/language.ts'
import classes from './changes.module.css'
import { differencesOf } from './differences.ts'
import { activityTexts } from './texts/texts.ts'

/**
 * The values of an audit entry before and after its action, field by field, side by side where there is room.
 * @param before absent when the target was created
 * @param after absent when the target was deleted
 */
export function Changes({
  before,
  after,
}: {
  before: Readonly<Record<string, unknown>> | undefined
  after: Readonly<Record<string, unknown>> | undefined
}) {
  const t = useTexts(activityTexts)
  const differences = differencesOf(before, after)
  if (differences.length === 0) return <Text>{t.noValues}</Text>
  return differences.map((difference) => (
    <section key={difference.field} className={classes.field} aria-label={difference.field}>
      <Text ff="monospace" size="sm" fw={600} mb={4} style={{ overflowWrap: 'anywhere' }}>
        <bdi>{difference.field}</bdi>
      </Text>
      <dl className={classes.sides}>
        {before && (
          <div className={`${classes.side} ${classes.before}`}>
            <dt>{t.before}</dt>
            <Value text={difference.before} />
          </div>
        )}
        {after && (
          <div className={`${classes.side} ${classes.after}`}>
            <dt>{t.after}</dt>
            <Value text={difference.after} />
          </div>
        )}
      </dl>
    </section>
  ))
}

function Value({ text }: { text: string | undefined }) {
  const t = useTexts(activityTexts)
  return (
    <dd>
      {text === undefined ? (
        <Text span size="sm" c="dimmed" fs="italic">
          {t.none}
        </Text>
      ) : (
        <bdi>{text}</bdi>
      )}
    </dd>
  )
}
