import { join } from 'node:path'
import { ask, kubectl, until } from './cluster.ts'
import { defineKinds } from './definitions.ts'

/** The samples that answer a query. */
export type Query = { metric: Record<string, string>; value: [number, string] }[]

const manifest = join(import.meta.dirname, 'prometheus-operator/operator.yaml')
const namespace = 'monitoring'
const pod = 'prometheus-cluster-0'

let address = ''

/**
 * Starts the operator of Prometheus, and a Prometheus that takes the ServiceMonitors and rules that have the label
 * `release: monitoring`.
 */
export async function startPrometheus(): Promise<void> {
  await defineKinds('monitoring')
  await kubectl('-n', namespace, 'apply', '-f', manifest)
  const wait = (...argv: string[]) => kubectl('-n', namespace, 'wait', `pod/${pod}`, ...argv)
  await wait('--for=create', '--timeout=120s')
  await wait('--for=condition=Ready', '--timeout=120s')
  const { status } = await ask<{ status: { podIP: string } }>(`/api/v1/namespaces/${namespace}/pods/${pod}`)
  address = `http://${status.podIP}:9090`
}

/** Ends both. */
export async function stopPrometheus(): Promise<void> {
  // The operator must be there to see that its Prometheus is to go.
  await kubectl('-n', namespace, 'delete', 'prometheus', 'cluster', '--ignore-not-found')
  const path = `/api/v1/namespaces/${namespace}/pods/${pod}`
  const isGone = () =>
    ask(path).then(
      () => false,
      (error: Error) => error.message.includes('NotFound'),
    )
  await until('Prometheus is gone', isGone, 60_000)
  await kubectl('-n', namespace, 'delete', '-f', manifest, '--ignore-not-found')
}

/** Asks that Prometheus. */
export async function query(expression: string): Promise<Query> {
  const path = `/api/v1/query?${new URLSearchParams({ query: expression })}`
  const response = await fetch(`${address}${path}`, { signal: AbortSignal.timeout(10_000) })
  const { status, data, error } = (await response.json()) as {
    status: string
    data: { result: Query }
    error: string
  }
  if (status !== 'success') throw new Error(`${expression}: ${error}`)
  return data.result
}
