import { get } from 'node:http'
import { ask, kubectl } from './cluster.ts'

/** The samples that answer a query. */
export type Query = { metric: Record<string, string>; value: [number, string] }[]

let address = ''

/**
 * Starts a Prometheus as a pod.
 * @param namespace a namespace of its own
 * @param files its configuration, `prometheus.yml` and what that names
 */
export async function prometheusIn(namespace: string, files: Record<string, string>): Promise<void> {
  const metadata = { name: 'prometheus', namespace }
  await create('/api/v1/namespaces', { kind: 'Namespace', apiVersion: 'v1', metadata: { name: namespace } })
  await create(`/api/v1/namespaces/${namespace}/configmaps`, {
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata,
    data: files,
  })
  await create(`/api/v1/namespaces/${namespace}/pods`, {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata,
    spec: {
      containers: [
        {
          name: 'prometheus',
          image: 'localhost/tools:1',
          args: ['prometheus', '--config.file=/config/prometheus.yml', '--storage.tsdb.path=/data'],
          readinessProbe: { httpGet: { path: '/-/ready', port: 9090 }, periodSeconds: 2 },
          volumeMounts: [
            { name: 'config', mountPath: '/config' },
            { name: 'data', mountPath: '/data' },
          ],
        },
      ],
      volumes: [
        { name: 'config', configMap: { name: 'prometheus' } },
        { name: 'data', emptyDir: {} },
      ],
    },
  })
  await kubectl('-n', namespace, 'wait', 'pod/prometheus', '--for=condition=Ready', '--timeout=120s')
  const pod = await ask<{ status: { podIP: string } }>(`/api/v1/namespaces/${namespace}/pods/prometheus`)
  address = pod.status.podIP
}

/** Creates an object, unless there is one of its name. */
async function create(path: string, object: object): Promise<void> {
  await ask(path, object).catch((error: Error) => {
    if (!error.message.includes('AlreadyExists')) throw error
  })
}

/** Asks that Prometheus. */
export function query(expression: string): Promise<Query> {
  const path = `/api/v1/query?${new URLSearchParams({ query: expression })}`
  return new Promise((resolve, reject) => {
    get({ host: address, port: 9090, path, agent: false }, async (response) => {
      let text = ''
      for await (const chunk of response.setEncoding('utf8')) text += chunk
      const { status, data, error } = JSON.parse(text)
      if (status === 'success') resolve(data.result)
      else reject(new Error(`${expression}: ${error}`))
    }).on('error', reject)
  })
}
