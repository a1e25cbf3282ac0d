import { parse, stringify } from 'yaml'
import { definitions, readDefinition } from '../../deploy/chart-schemas.ts'
import { asGrafanaSends, dashboards } from '../../deploy/dashboards.ts'
import { ask, kubectl, namespace, until, upgrade } from '../cluster.ts'
import { expectThat, type Step, seconds } from '../findings.ts'
import { theClient } from '../gateway.ts'
import { startLoad } from '../load.ts'
import { prometheusIn, type Query, query } from '../prometheus.ts'

/** A ServiceMonitor, as far as it is translated here. */
type Relabeling = { targetLabel: string; replacement?: string; sourceLabels?: string[] }
type ServiceMonitor = {
  spec: {
    selector: { matchLabels: Record<string, string> }
    endpoints: { port: string; interval: string; relabelings: Relabeling[] }[]
  }
}
type PrometheusRule = { spec: { groups: { rules: { alert?: string; record?: string; expr: string }[] }[] } }

const group = `/apis/monitoring.coreos.com/v1/namespaces/${namespace}`

type Service = { metadata: { name: string; labels: Record<string, string> } }
type Endpoints = {
  subsets?: {
    ports: { name: string; port: number }[]
    addresses?: { ip: string; targetRef: { name: string } }[]
  }[]
}

/** The label that a relabeling sets, from the labels of a Service where it names one of them. */
function labelOf(
  { targetLabel, replacement, sourceLabels = [] }: Relabeling,
  labels: Record<string, string>,
) {
  const meta = (name: string) => `__meta_kubernetes_service_label_${name.replace(/\W/g, '_')}`
  const named = Object.entries(labels).find(([name]) => sourceLabels.includes(meta(name)))
  return [targetLabel, replacement ?? named?.[1] ?? '']
}

/**
 * Finds what a ServiceMonitor selects, as the operator lets Prometheus do: Debian's Prometheus cannot ask Kubernetes itself.
 * @returns the pods with the labels that they get
 */
async function targetsOf({ spec }: ServiceMonitor): Promise<object[]> {
  const selector = Object.entries(spec.selector.matchLabels).map((pair) => pair.join('='))
  const core = `/api/v1/namespaces/${namespace}`
  const path = `${core}/services?labelSelector=${encodeURIComponent(selector.join())}`
  const { items } = await ask<{ items: Service[] }>(path)
  const found = items.map(async ({ metadata }) => {
    const { subsets = [] } = await ask<Endpoints>(`${core}/endpoints/${metadata.name}`)
    return subsets.flatMap(({ ports, addresses = [] }) =>
      spec.endpoints.flatMap(({ port: wanted, relabelings }) =>
        ports
          .filter(({ name }) => name === wanted)
          .flatMap(({ port }) =>
            addresses.map(({ ip, targetRef }) => ({
              targets: [`${ip}:${port}`],
              labels: {
                namespace,
                pod: targetRef.name,
                ...Object.fromEntries(relabelings.map((one) => labelOf(one, metadata.labels))),
              },
            })),
          ),
      ),
    )
  })
  return (await Promise.all(found)).flat()
}

export const monitoring: Step = {
  name: 'monitoring',
  title: 'Prometheus finds the pods by the ServiceMonitor, and answers what dashboards and alerts ask',
  async run(found) {
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
    for (const definition of definitions.filter((one) => one.includes('prometheus-operator')))
      await ask(path, parse(await readDefinition(definition))).catch(() => undefined)
    await until('the kinds are served', () => ask(`${group}/servicemonitors`), 30_000)
    await upgrade('metrics.serviceMonitor.enabled=true', 'metrics.prometheusRule.enabled=true')
    const monitor = await ask<ServiceMonitor>(`${group}/servicemonitors/gatehouse`)
    const rule = await ask<PrometheusRule>(`${group}/prometheusrules/gatehouse`)
    await prometheusIn('monitoring', {
      'prometheus.yml': stringify({
        global: { evaluation_interval: '5s' },
        rule_files: ['/config/rules.yml'],
        scrape_configs: [
          { job_name: 'pods', scrape_interval: '5s', static_configs: await targetsOf(monitor) },
        ],
      }),
      'rules.yml': stringify({ groups: rule.spec.groups }),
    })
    const load = startLoad(await theClient())
    const everyPod = `count by (service) (up{job="gatehouse",namespace="${namespace}"} == 1) == 2`
    const took = await until(
      'both pods of every service are scraped',
      async () => (await query(everyPod)).length === 5,
      90_000,
    )
    found(
      'both pods of each service were scraped',
      `after ${seconds(took)}, with job="gatehouse" and their service`,
    )
    await new Promise((resolve) => setTimeout(resolve, 60_000))
    await load.stop()
    await askAll(found, rule)
    await kubectl('delete', 'namespace', 'monitoring', '--wait=false')
    await upgrade('metrics.serviceMonitor.enabled=false', 'metrics.prometheusRule.enabled=false')
  },
}

/** Asks what the dashboards and rules ask. */
async function askAll(found: (what: string, seen: string) => void, rule: PrometheusRule): Promise<void> {
  const rules = rule.spec.groups.flatMap(({ rules }) => rules)
  const records = rules.flatMap(({ record }) => (record ? [record] : []))
  const unanswered = await withoutAnswer(records)
  expectThat(unanswered.length === 0, `recorded series without a value: ${unanswered}`)
  found('recording rules with values', `all ${records.length}`)
  const firing = await query('ALERTS{alertstate="firing"}')
  const names = firing.map(({ metric }) => metric.alertname)
  expectThat(names.length === 0, `alerts that fire: ${names}`)
  found('alerts that fire on a system that works', `none of ${rules.length - records.length}`)
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
