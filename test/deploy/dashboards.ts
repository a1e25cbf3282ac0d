import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repository } from '@gatehouse/test/servers/prometheus'

/** The part of Grafana's dashboard model that the tests use. */
export type Dashboard = {
  uid: string
  title: string
  description?: string
  schemaVersion: number
  panels: Panel[]
  templating: { list: { name: string; type: string; definition?: string; allValue?: string }[] }
}

/** A panel, or the title of a row of panels. */
export type Panel = {
  id: number
  type: string
  title: string
  description?: string
  gridPos: { x: number; y: number; w: number; h: number }
  datasource?: { type: string; uid: string }
  targets?: { refId: string; expr: string; legendFormat?: string; datasource?: { uid: string } }[]
  fieldConfig?: { defaults: { unit?: string } }
}

const directory = join(repository, 'deploy/grafana/dashboards')

/** The dashboards of this repository, by the name of their file. */
export const dashboards: [file: string, dashboard: Dashboard][] = readdirSync(directory).map((file) => [
  file,
  JSON.parse(readFileSync(join(directory, file), 'utf8')),
])

/** An expression as Grafana sends it, for all services of an installation without a name. */
export function asGrafanaSends(expression: string): string {
  return expression
    .replaceAll('$__rate_interval', '10s')
    .replaceAll('$service', '.*')
    .replaceAll('$installation', '')
}

/** The labels, in braces, of every series in an expression; empty where it has none. */
export function selectorsIn(expression: string): string[] {
  const series = /\b(?:oauth2_server_|gatehouse:|nodejs_|process_|ALERTS\b|up\b)[\w:]*(\{[^}]*\})?/g
  return [...expression.matchAll(series)].map(([, labels = '']) => labels)
}
