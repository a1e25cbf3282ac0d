import type { ReactNode } from 'react'
import classes from './facts.module.css'

/** The facts about something: a label and a value in each row. Rows without a value are left out. */
export function Facts({ facts }: { facts: readonly (readonly [label: string, value: ReactNode])[] }) {
  return (
    <dl className={classes.facts}>
      {facts
        .filter(([, value]) => value !== undefined && value !== null && value !== false && value !== '')
        .map(([label, value]) => (
          <div key={label} className={classes.fact}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  )
}
