import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasPrometheus, repository, runPromtool } from '@gatehouse/test/servers/prometheus'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { selectorsIn } from './dashboards.ts'

type Alert = {
  alert?: string
  annotations?: { summary: string; runbook: string }
  labels?: { severity: string }
}

const directory = 'deploy/prometheus'
const filesIn = (folder: string) =>
  readdirSync(join(repository, directory, folder)).map((file) => `${directory}/${folder}/${file}`)
const textOf = (file: string) => readFileSync(join(repository, file), 'utf8')
const alerts = filesIn('rules')
  .flatMap((file) => parse(textOf(file)).groups as { rules: Alert[] }[])
  .flatMap(({ rules }) => rules.filter(({ alert }) => alert !== undefined))

describe.skipIf(!hasPrometheus)('promtool', () => {
  test('accepts the configuration and the rules', async () => {
    const { ok, output } = await runPromtool(['check', 'config', `${directory}/prometheus.yaml`])
    expect([ok, output]).toEqual([true, expect.stringContaining('SUCCESS: 2 rule files found')])
  })

  test.each(filesIn('test'))('fires and resolves the alerts of %s', { timeout: 300_000 }, async (file) => {
    expect(await runPromtool(['test', 'rules', file])).toMatchObject({ ok: true })
  })
})

test('every alert is tested, both firing and not firing', () => {
  type Case = { alert_rule_test: { alertname: string; exp_alerts: unknown[] }[] }
  const cases = filesIn('test')
    .flatMap((file) => parse(textOf(file)).tests as Case[])
    .flatMap(({ alert_rule_test }) => alert_rule_test)
  for (const { alert } of alerts) {
    const own = cases.filter(({ alertname }) => alertname === alert)
    expect(
      own.some(({ exp_alerts }) => exp_alerts.length > 0),
      `${alert} comes`,
    ).toBe(true)
    expect(
      own.some(({ exp_alerts }) => exp_alerts.length === 0),
      `${alert} stays away`,
    ).toBe(true)
  }
})

test('every rule keeps installations on one Prometheus apart', () => {
  const rules = filesIn('rules')
    .flatMap((file) => parse(textOf(file)).groups as { rules: { expr: string }[] }[])
    .flatMap((group) => group.rules.map(({ expr }) => expr))
  expect(rules.length).toBeGreaterThan(40)
  for (const expression of rules) {
    expect(selectorsIn(expression).length, expression).toBeGreaterThan(0)
    for (const labels of selectorsIn(expression)) expect(labels, expression).toContain('installation=~".*"')
    const together = expression.match(
      /\b(sum|max|min|avg|count|group|topk|on)\b( by)? ?\((?!installation\b)[^)]*/g,
    )
    expect(together, expression).toBeNull()
  }
})

test('every alert has a severity and a link to an existing section of the runbook', () => {
  const headings = textOf('docs/operate/operations.md').matchAll(/^#+ (.+)$/gm)
  const anchors = [...headings].map(([, heading = '']) => heading.toLowerCase().replaceAll(' ', '-'))
  expect(alerts.length).toBeGreaterThan(0)
  for (const { alert, annotations, labels } of alerts) {
    expect(['page', 'ticket'], alert).toContain(labels?.severity)
    expect(annotations?.summary, alert).toBeTruthy()
    const [page, anchor] = annotations?.runbook.split('#') ?? []
    expect(page, alert).toBe('docs/operate/operations.md')
    expect(anchors, alert).toContain(anchor)
  }
})

test('the runbook names exactly the alerts that exist', () => {
  const named = textOf('docs/operate/operations.md').match(/\bGatehouse[A-Z]\w+/g)
  expect([...new Set(named)].sort()).toEqual(alerts.map(({ alert }) => alert).sort())
})
