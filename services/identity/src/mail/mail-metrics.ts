import { Counter, Gauge, metricPrefix, type Registry } from '@gatehouse/kit/telemetry/metrics'
import { type MailKindName, mailKindNames } from '@gatehouse/proto/people/mails'
import type { MailOutcome } from './mail-sending.ts'

/** The metrics of mails. */
export type MailMetrics = {
  counted(kind: MailKindName, outcome: MailOutcome): void
  /** @param backlog oldest: in seconds */
  setBacklog(backlog: { waiting: number; oldest: number }): void
}

/** The metrics of mails. Each series exists from the first scrape. */
export function mailMetrics(registry: Registry): MailMetrics {
  const mails = new Counter({
    name: `${metricPrefix}mails_total`,
    help: 'Attempts to send a mail, by kind and outcome.',
    labelNames: ['kind', 'outcome'],
    registers: [registry],
  })
  const outcomes: MailOutcome[] = ['sent', 'failed', 'given_up']
  for (const kind of mailKindNames) for (const outcome of outcomes) mails.inc({ kind, outcome }, 0)
  const registers = [registry]
  const waiting = new Gauge({
    name: `${metricPrefix}mails_waiting`,
    help: 'Mails that are not sent yet.',
    registers,
  })
  const oldest = new Gauge({
    name: `${metricPrefix}mails_oldest_waiting_seconds`,
    help: 'How long the oldest mail has waited.',
    registers,
  })
  return {
    counted: (kind, outcome) => mails.inc({ kind, outcome }),
    setBacklog(backlog) {
      waiting.set(backlog.waiting)
      oldest.set(backlog.oldest)
    },
  }
}
