import { setTimeout as sleep } from 'node:timers/promises'
import { asGrafanaSends, dashboards } from '../../../test/deploy/dashboards.ts'
import { ask, namespace, until, upgrade } from '../cluster.ts'
import { expectThat, type Found, type Step, seconds } from '../findings.ts'
import { theClient } from '../gateway.ts'
import { startLoad } from '../load.ts'
import { type Query, query, startPrometheus, stopPrometheus } from '../prometheus.ts'

type Rule = { alert?: string; record?: string; expr: string }
type PrometheusRule = { spec: { groups: { rules: Rule[] }[] } }

/** The objects that the chart gives to the operator, with the label by which that finds them. */
const kinds = ['serviceMonitor', 'prometheusRule']
const given = kinds.flatMap((kind) => [
  `metrics.${kind}.enabled=true`,
  `metrics.${kind}.labels.release=monitoring`,
])

export const monitoring: Step = {
  name: 'monitoring',
  title:
    'Prometheus finds the pods by the ServiceMonitor and its operator, and answers what dashboards and alerts ask',
  async run(found) {
    await startPrometheus()
    try {
      await upgrade(...given)
      const load = startLoad(await theClient())
      const everyPod = `count by (service) (up{job="gatehouse",namespace="${namespace}"} == 1) == 2`
      const isScraped = async () => (await query(everyPod)).length === 5
      const took = await until('both pods of every service are scraped', isScraped, 180_000)
      found(
        'both pods of each service were scraped',
        `after ${seconds(took)}, with job="gatehouse" and their service`,
      )
      // Four times the interval of the chart: rates are over a minute.
      await sleep(75_000)
      const { records, alerts } = await givenRules()
      const isRecorded = async () => {
        const without = await withoutAnswer(records)
        if (without.length > 0) throw new Error(`without a value: ${without}`)
        return true
      }
      // Ratios of days are recorded every two minutes.
      await until('every recording rule has a value', isRecorded, 180_000)
      found('recording rules with values', `all ${records.length}`)
      await load.stop()
      await expectNoAlert(found, alerts)
      await askDashboards(found)
    } finally {
      await upgrade(...kinds.map((kind) => `metrics.${kind}.enabled=false`))
      await stopPrometheus()
    }
  },
}

/** The names of the recording rules and alerts that the chart gave to the operator. */
async function givenRules(): Promise<{ records: string[]; alerts: string[] }> {
  const path = `/apis/monitoring.coreos.com/v1/namespaces/${namespace}/prometheusrules/gatehouse`
  const { spec } = await ask<PrometheusRule>(path)
  const rules = spec.groups.flatMap(({ rules }) => rules)
  return {
    records: rules.flatMap(({ record }) => record ?? []),
    alerts: rules.flatMap(({ alert }) => alert ?? []),
  }
}

async function expectNoAlert(found: Found, alerts: string[]): Promise<void> {
  const firing = await query('ALERTS{alertstate="firing"}')
  const names = firing.map(({ metric }) => metric.alertname)
  expectThat(names.length === 0, `alerts that fire: ${names}`)
  found('alerts that fire on a system that works', `none of ${alerts.length}`)
}

async function askDashboards(found: Found): Promise<void> {
  const expressions = dashboards.flatMap(([, { panels }]) =>
    panels.flatMap(({ targets = [] }) =>
      targets.map(({ expr }) => asGrafanaSends(expr).replaceAll('[10s]', '[1m]')),
    ),
  )
  const empty = await withoutAnswer(expressions)
  found(
    'queries of the dashboards with values',
    `${expressions.length - empty.length} of ${expressions.length}`,
  )
  // Those of failures have none on a system that works.
  expectThat(empty.length < expressions.length / 3, `queries without values: ${empty.join('\n')}`)
}

async function withoutAnswer(expressions: string[]): Promise<string[]> {
  const answers: Query[] = []
  for (const expression of expressions) answers.push(await query(expression))
  return expressions.filter((_, index) => answers[index]?.length === 0)
}
